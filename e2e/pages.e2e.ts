/** The pages of the main layout: where they stand, who sees them, what they ask the proxy for. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ownLogin, type Name } from '@sallyport/testkit/people.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { TerminalClient } from '@sallyport/testkit/terminal-client.ts'
import { agentHostname, createWorld, sshdHostname, type World } from '@sallyport/testkit/world.ts'
import { create as createRole } from '@sallyport/wire/calls/roles.ts'
import { searchSessions } from '@sallyport/wire/calls/events.ts'
import { activeSessions } from '@sallyport/wire/calls/sessions.ts'
import { update as updateUser } from '@sallyport/wire/calls/users.ts'
import { openBrowser } from './browser.ts'
import { root } from './process.ts'
import { screenText } from './terminal-screen.ts'
import { clientOf, reconfigure, signedIn } from './visitor.ts'

describe.skipIf(whyNoProgram('chromium') ?? whyNoProgram('sshd'))('pages', () => {
  let world: World
  let browser: Browser
  beforeAll(async () => {
    world = await createWorld()
    browser = await openBrowser()
    const bob = await clientOf(world, 'bob')
    await using terminal = await TerminalClient.open(bob, { cluster: world.cluster, serverId: world.agentId, login: ownLogin })
    terminal.type("printf 'pl%s\\n' ayed; exit\r")
    await terminal.closed()
  })
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
  })

  const at = (path: string): string => world.url + path
  const scoped = (page: string): string => at(`/web/cluster/${world.cluster}/${page}`)
  const heading = (page: Page, name: string | RegExp): Promise<void> => page.getByRole('heading', { level: 1, name }).waitFor()
  const navigation = (page: Page) => page.getByRole('navigation', { name: 'Main' })
  async function visit(name: Name, address: string): Promise<Page> {
    const { page } = await signedIn(browser, world, name)
    await page.goto(address)
    await page.getByRole('heading', { level: 1 }).waitFor()
    return page
  }

  test('R2-001: everything is below /web', async () => {
    const start = await fetch(at('/'), { redirect: 'manual' })
    expect([start.status, start.headers.get('location')]).toEqual([302, '/web'])
    const page = await fetch(at('/web'))
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect((await fetch(at('/nodes'))).status).toBe(404)
  })

  test('R0-001, R3-010: the console loads from its proxy, talks to it alone and links within it', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    const origins = new Set<string>()
    page.on('request', (request) => void (request.url().startsWith('http') && origins.add(new URL(request.url()).origin)))
    for (const path of [at('/web'), scoped('recordings'), scoped('audit'), at('/web/account'), at('/web/support')]) {
      await page.goto(path)
      await heading(page, /./)
      const links = await page
        .getByRole('link')
        .evaluateAll((all) => all.map((link) => (link instanceof HTMLAnchorElement ? link.origin : '')))
      expect(links.length).toBeGreaterThan(0)
      for (const origin of links) expect(origin).toBe(world.url)
    }
    expect([...origins]).toEqual([world.url])
    noErrors()
    await page.context().close()
  })

  test('R1-027: the bundle names no host but those of standards and of its libraries in their messages for developers', () => {
    const app = join(root, 'packages', 'console', 'dist', 'app')
    const scripts = readdirSync(app)
      .filter((name) => /\.(js|css)$/.test(name))
      .map((name) => readFileSync(join(app, name), 'utf8'))
    const hosts = new Set(scripts.flatMap((text) => [...text.matchAll(/https?:\/\/([a-z0-9.-]+\.[a-z]{2,})/g)].map(([, host]) => host)))
    expect(scripts.length).toBeGreaterThan(10)
    const known = ['www.w3.org', 'base-ui.com', 'github.com', 'react.dev', 'simplewebauthn.dev']
    // What stands in texts as an example belongs to nobody.
    expect([...hosts].filter((host = '') => !known.includes(host) && !/(^|\.)example\.com$/.test(host))).toEqual([])
  })

  test.each([
    ['R2-019, R2-068', 'nodes', 'Servers', 'Resources', 'Reach'],
    ['R2-021, R2-082', 'recordings', 'Session Recordings', 'Management', 'Activity'],
    ['R2-018, R2-083', 'audit', 'Audit Log', 'Management', 'Activity'],
  ])('%s: /%s is %s, in %s under %s', async (_, path, title, category, section) => {
    const page = await visit('alice', scoped(path))
    await heading(page, new RegExp(`^${title}`, 'i'))
    await expect.poll(() => page.title()).toBe(`${world.cluster} • ${title}`)
    await navigation(page).getByRole('radio', { name: category, checked: true }).waitFor()
    const link = navigation(page).getByRole('region', { name: section }).getByRole('link', { name: title })
    await expect.poll(() => link.getAttribute('aria-current')).toBe('page')
    await page.context().close()
  })

  test.each([
    ['R6-016', 'recordings', 'Session Recordings', 'bob', 'dan'],
    ['R6-017', 'audit', 'Audit Log', 'carol', 'dan'],
  ] as const)('%s: /%s (%s) is there for %s and not for %s', async (_, path, title, permitted, refused) => {
    const page = await visit(permitted, scoped(path))
    await heading(page, new RegExp(`^${title}`, 'i'))
    await navigation(page).getByRole('link', { name: title }).waitFor()
    await page.context().close()
    const other = await visit(refused, scoped(path))
    await heading(other, 'Access Denied')
    expect(await navigation(other).getByRole('link', { name: title }).count()).toBe(0)
    await other.context().close()
  })

  test.each([
    ['R6-002', 'nodes', 'nodes', 'Servers', ['list']],
    ['R6-003', 'appServers', 'apps', 'Applications', ['list', 'read']],
    ['R6-004', 'kubeServers', 'kubernetes', 'Kubernetes', ['list', 'read']],
    ['R6-005', 'dbServers', 'databases', 'Databases', ['list', 'read']],
    ['R6-006', 'desktops', 'desktops', 'Desktops', ['list', 'read']],
  ] as const)('%s: the rights on %s give the page /%s (%s), and without %j it is closed', async (_, area, path, title, needed) => {
    const { page } = await signedIn(browser, world, 'bob')
    let missing = ''
    await page.route('**/sites/*/context', async (route) => {
      const response = await route.fetch()
      const body = (await response.json()) as { userAcl: Record<string, object> }
      const rights = { ...body.userAcl[area], ...(missing === '' ? {} : { [missing]: false }) }
      await route.fulfill({ response, json: { ...body, userAcl: { ...body.userAcl, [area]: rights } } })
    })
    for (missing of needed) {
      await page.goto(scoped(path))
      await heading(page, 'Access Denied')
      expect(await navigation(page).getByRole('link', { name: title }).count()).toBe(0)
    }
    missing = ''
    await page.reload()
    await heading(page, new RegExp(`^${title}`))
    await navigation(page).getByRole('link', { name: title }).waitFor()
    await page.context().close()
  })

  test('R6-007: Active Sessions follow the right to list sessions: a role that denies it takes page and entry away', async () => {
    const alice = await clientOf(world, 'alice')
    const role = (name: string, spec: object) =>
      alice.call(createRole, { body: { content: JSON.stringify({ kind: 'role', version: 'v6', metadata: { name }, spec }) } })
    await role('alone', { deny: { rules: [{ resources: ['ssh_session'], verbs: ['list'] }] } })
    await role('among-others', {})
    await alice.call(updateUser, { body: { name: 'dan', roles: ['alone'] } })
    const { page } = await signedIn(browser, world, 'dan')
    await page.goto(scoped('sessions'))
    await heading(page, 'Access Denied')
    expect(await navigation(page).getByRole('link', { name: 'Active Sessions' }).count()).toBe(0)
    const dan = await clientOf(world, 'dan')
    await expect(dan.call(activeSessions, { params: { clusterId: world.cluster } })).rejects.toThrow(/access denied/i)
    await alice.call(updateUser, { body: { name: 'dan', roles: ['among-others'] } })
    await page.reload()
    await heading(page, /^Active sessions/i)
    await navigation(page).getByRole('link', { name: 'Active Sessions' }).waitFor()
    await page.context().close()
  })

  test('R1-002: a real SSH server is listed and connects', async () => {
    const page = await visit('bob', scoped('nodes'))
    await page.getByRole('row', { name: new RegExp(agentHostname) }).waitFor()
    const opened = page.context().waitForEvent('page')
    await page.getByRole('button', { name: `Connect to ${sshdHostname}` }).click()
    await page.getByRole('link', { name: ownLogin, exact: true }).click()
    const terminal = await opened
    await expect.poll(() => screenText(terminal)).toMatch(/[$#]\s*$/)
    await expect.poll(() => terminal.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA')
    await terminal.keyboard.type('printf "re%s\\n" ached\n')
    await expect.poll(() => screenText(terminal)).toContain('reached')
    await page.context().close()
  })

  test('R1-008, R9-006: a finished session is in the recordings, which are fetched 5000 at a time, and leads to the player', async () => {
    const bob = await clientOf(world, 'bob')
    const params = { clusterId: world.cluster }
    await expect.poll(async () => (await bob.call(searchSessions, { params })).events.length).toBeGreaterThan(0)
    const { page } = await signedIn(browser, world, 'bob')
    const asked = page.waitForRequest((request) => request.url().includes('/events/search/sessions'))
    await page.goto(scoped('recordings'))
    expect(new URL((await asked).url()).searchParams.get('limit')).toBe('5000')
    const opened = page.context().waitForEvent('page')
    await page
      .getByRole('row', { name: new RegExp(agentHostname) })
      .getByRole('link', { name: /^Play session/ })
      .first()
      .click()
    await expect.poll(() => opened.then(screenText)).toContain('played')
    await page.context().close()
  })

  test('R1-009, R7-035, R9-005: the sign-in just done is in the log, which is fetched 5000 at a time', async () => {
    const { page } = await signedIn(browser, world, 'carol')
    const asked = page.waitForRequest((request) => /\/events\/search\?/.test(request.url()))
    await page.goto(scoped('audit'))
    expect(new URL((await asked).url()).searchParams.get('limit')).toBe('5000')
    const row = page
      .getByRole('row', { name: /Local sign-in/ })
      .filter({ hasText: 'carol' })
      .first()
    await row.waitFor()
    await page.context().close()
  })

  test('R3-013, R3-014: times and dates are written as the configuration says', async () => {
    const { page } = await signedIn(browser, world, 'carol')
    await reconfigure(page, { loc: { dateTimeFormat: 'DD.MM.YYYY HH.mm', dateFormat: 'DD.MM.YYYY' } })
    await page.goto(scoped('audit'))
    await page
      .getByRole('row', { name: /Local sign-in/ })
      .first()
      .getByText(/^\d\d\.\d\d\.20\d\d \d\d\.\d\d$/)
      .waitFor()
    await expect
      .poll(() => page.getByRole('img', { name: 'Events over time' }).locator('title').first().textContent())
      .toMatch(/^\d\d\.\d\d\.20\d\d \d\d:\d\d: \d+ events$/)
    await page.context().close()
  })

  test('R2-092: a page of no cluster has its own title alone', async () => {
    const page = await visit('dan', at('/web/account'))
    await expect.poll(() => page.title()).toBe('Account Settings')
    await page.goto(at('/web/support'))
    await heading(page, 'Help & Support')
    await expect.poll(() => page.title()).toBe('Help & Support')
    await page.context().close()
  })

  test('R2-008, R2-009, R2-010: the account, its password and its devices have addresses of their own', async () => {
    const page = await visit('carol', at('/web/account'))
    for (const [path, region] of [
      ['', 'Password'],
      ['/password', 'Password'],
      ['/twofactor', 'Second-factor devices'],
    ] as const) {
      await page.goto(at(`/web/account${path}`))
      await heading(page, 'Account settings')
      await expect
        .poll(() =>
          page.getByRole('region', { name: region }).evaluate((section) => section.getBoundingClientRect().top < window.innerHeight),
        )
        .toBe(true)
    }
    await page.getByRole('row', { name: /Authenticator App/ }).waitFor()
    await page.context().close()
  })

  test('R2-006, R3-006, R3-009, R6-042: Help & Support tells the addresses of the configuration, and locks what the plan lacks', async () => {
    const usual = await visit('dan', at('/web/support'))
    await usual.getByText('$HOME/.config/sallyport', { exact: true }).waitFor()
    expect(await usual.getByText('Tunnel address').count()).toBe(0)
    expect(await usual.getByRole('heading', { name: 'Premium support' }).count()).toBe(0)
    await usual.context().close()

    const { page } = await signedIn(browser, world, 'dan')
    await reconfigure(page, { configDir: '/etc/castle', tunnelPublicAddress: 'tunnel.castle.example:3024', isUsageBasedBilling: true })
    await page.goto(at('/web/support'))
    await page.getByText('/etc/castle', { exact: true }).waitFor()
    await page.getByText('tunnel.castle.example:3024', { exact: true }).waitFor()
    await page.getByRole('heading', { name: 'Premium support' }).waitFor()
    await page.context().close()
  })
})
