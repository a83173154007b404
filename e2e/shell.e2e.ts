/** The frame around the screens: navigation, titles, guards, fallbacks, and a session shared by tabs. */
import { cpSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask } from '@sallyport/cli/admin-client.ts'
import type { Name } from '@sallyport/testkit/people.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { agentHostname, createWorld, type World } from '@sallyport/testkit/world.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { routes, type Route } from '@sallyport/wire/routes.ts'
import { inspect, openBrowser } from './browser.ts'
import { signedIn as signedInTo } from './visitor.ts'

describe.skipIf(whyNoProgram('chromium'))('shell', () => {
  let world: World
  let browser: Browser
  beforeAll(async () => {
    world = await createWorld()
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
  })

  const at = (path: string): string => world.url + path
  const scoped = (page: string): string => at(`/web/cluster/${world.cluster}/${page}`)

  const signedIn = (name: Name) => signedInTo(browser, world, name)
  const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor()

  test('R2-002, R2-016, R2-091: the root and the base of a cluster open the first page one may see', async () => {
    const { page, noErrors } = await signedIn('alice')
    await page.goto(at('/web'))
    await heading(page, /^Servers/)
    expect(page.url()).toBe(scoped('nodes'))
    await expect.poll(() => page.title()).toBe(`${world.cluster} • Servers`)
    await page.goto(scoped(''))
    await heading(page, /^Servers/)
    expect(page.url()).toBe(scoped('nodes'))
    noErrors()
    // A cluster that nobody knows is no reason to go elsewhere.
    await page.goto(at('/web/cluster/nowhere'))
    await page.getByText('cluster "nowhere" is not found').first().waitFor()
    expect(page.url()).toBe(at('/web/cluster/nowhere/nodes'))
    await page.context().close()
  })

  test('R2-067, R9-051: pages stand in the main layout; R2-066: the terminal console does not', async () => {
    const { page } = await signedIn('alice')
    for (const path of [scoped('nodes'), scoped('recordings'), scoped('audit'), at('/web/account'), at('/web/support')]) {
      await page.goto(path)
      await page.getByRole('navigation', { name: 'Main' }).waitFor()
      await page.getByRole('banner').waitFor()
    }
    await expect.poll(async () => (await page.getByRole('navigation', { name: 'Main' }).boundingBox())?.width).toBe(240)
    await page.goto(scoped('console'))
    await page.getByRole('main').waitFor()
    expect(await page.getByRole('navigation', { name: 'Main' }).count()).toBe(0)
    await page.context().close()
  })

  test('R7-022: what the cluster has to say stands above every screen; what is not urgent can be put away', async () => {
    const alert = (name: string, severity: string, link: string) =>
      JSON.stringify({
        kind: 'cluster_alert',
        metadata: {
          name,
          labels: {
            'teleport.internal/alert-on-login': 'yes',
            'teleport.internal/alert-permit-all': 'yes',
            'teleport.internal/link': link,
          },
        },
        spec: { severity, message: `This is ${name}: the cluster moves to another machine on Sunday from 10:00 to 12:00 UTC` },
      })
    const documents = [
      alert('news', 'low', ''),
      alert('maintenance', 'medium', 'https://example.com/plan'),
      alert('outage', 'high', 'javascript:alert(1)'),
    ]
    await ask(world.dataDir, adminCalls.saveResources, { parts: documents, force: false })
    const { page } = await signedIn('dan')
    await page.goto(at('/web/support'))
    const rows = page.getByRole('region', { name: 'Cluster alerts' })
    await rows.getByText('This is outage').waitFor()
    await inspect(page, 'shell-alerts')
    expect(await rows.getByRole('link').evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual([
      'https://example.com/plan',
    ])
    await expect.poll(() => rows.getByRole('button').count()).toBe(2)
    await rows.getByRole('button', { name: /^Dismiss for a day: This is news/ }).click()
    await rows.getByText('This is news').waitFor({ state: 'detached' })
    await page.reload()
    await rows.getByText('This is maintenance').waitFor()
    expect(await rows.getByText('This is news').count()).toBe(0)
    for (const name of ['news', 'maintenance', 'outage'])
      await ask(world.dataDir, adminCalls.removeResource, { kind: 'cluster_alert', name })
    await page.context().close()
  })

  test('R2-086, R2-087, R6-020, R6-021: somebody without any rights has account and help', async () => {
    const { page, noErrors } = await signedIn('dan')
    await page.goto(at('/web/support'))
    await heading(page, 'Help & Support')
    await inspect(page, 'support')
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menuitem', { name: 'Account Settings' }).click()
    await heading(page, 'Account settings')
    expect(page.url()).toBe(at('/web/account'))
    await expect.poll(() => page.title()).toBe('Account Settings')
    await page.getByRole('row', { name: /Authenticator App/ }).waitFor()
    await inspect(page, 'account')
    noErrors()
    await page.context().close()
  })

  test('R2-102, R4-030: a page whose flag is false is absent from the navigation and says Access Denied', async () => {
    const { page } = await signedIn('dan')
    await page.goto(scoped('audit'))
    await heading(page, 'Access Denied')
    expect(await page.getByRole('link', { name: 'Audit Log' }).count()).toBe(0)
    await inspect(page, 'access-denied')
    await page.context().close()
  })

  test('R4-030: whoever has no rights at all is denied each page that has a flag, and finds none of them in the navigation', async () => {
    const { page, noErrors } = await signedIn('alice')
    await page.route('**/sites/*/context', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...((await response.json()) as object), userAcl: {} } })
    })
    await page.goto(at('/web'))
    await heading(page, 'Help & Support')
    expect(await page.getByRole('navigation', { name: 'Main' }).getByRole('listitem').count()).toBe(0)
    const guarded = Object.values<Route>(routes).filter(({ feature }) => feature !== undefined)
    expect(guarded.length).toBeGreaterThan(20)
    for (const { pattern, title } of guarded) {
      const path = pattern
        .replace('{clusterId}', world.cluster)
        .replaceAll(/\/\{\w+\?\}/g, '')
        .replaceAll(/\{\w+\}/g, 'x')
      await page.evaluate((address) => history.pushState({}, '', address), path)
      await expect.poll(() => page.title(), { message: path }).toMatch(new RegExp(`(^| • )${title}$`))
      await heading(page, 'Access Denied')
    }
    noErrors()
    await page.context().close()
  })

  test('R2-100, R2-101, R8-016: a typed address that is no screen', async () => {
    const { page } = await signedIn('alice')
    for (const path of ['/web/nothing', '/web/users/x', `/web/cluster/${world.cluster}/nodez`]) {
      await page.goto(at(path))
      await heading(page, '404 Not Found')
      await page.getByText('The requested path could not be found.').waitFor()
    }
    await expect.poll(async () => (await page.getByRole('main').boundingBox())?.width).toBe(540)
    await inspect(page, 'not-found')
    await page.getByRole('link', { name: 'Go to start' }).click()
    await heading(page, /^Servers/)
    await page.context().close()
  })

  test('R2-090, R2-114, R7-010: navigation keeps the page, moves the focus to the heading, loads chunks below /web/', async () => {
    const { page, noErrors } = await signedIn('alice')
    const scripts: string[] = []
    page.on('request', (request) => request.resourceType() === 'script' && scripts.push(new URL(request.url()).pathname))
    await page.goto(at('/web'))
    await heading(page, /^Servers/)
    expect(await page.locator('meta[name="grv_bearer_token"]').count()).toBe(0)
    await page.evaluate(() => Object.assign(window, { sameGo: true }))
    await page.getByText('Management', { exact: true }).click()
    await heading(page, /^Users/)
    await page.getByRole('link', { name: 'Audit Log' }).click()
    await heading(page, /^Audit log/i)
    expect(page.url()).toBe(scoped('audit'))
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
    expect(await page.evaluate(() => 'sameGo' in window)).toBe(true)
    // Together: how long the page takes over the first is no pause between the two.
    await Promise.all([page.keyboard.press('g'), page.keyboard.press('s')])
    await heading(page, /^Servers/)
    await page.goBack()
    await heading(page, /^Audit log/i)
    expect(scripts.filter((path) => !path.startsWith('/web/'))).toEqual([])
    noErrors()
    await page.context().close()
  })

  test('two keys that belong together are one shortcut, whatever is drawn anew between them', async () => {
    const { page } = await signedIn('alice')
    await page.goto(at('/web/support'))
    await heading(page, 'Help & Support')
    // At one moment, as the page is told: how fast it is does not count.
    const press = (key: string): Promise<unknown> =>
      page.evaluate((name) => {
        const event = new KeyboardEvent('keydown', { key: name, bubbles: true })
        document.body.dispatchEvent(Object.defineProperty(event, 'timeStamp', { value: 1 }))
      }, key)
    await press('g')
    await page.evaluate(() => history.pushState({}, '', '/web/account'))
    await heading(page, 'Account settings')
    await press('s')
    await heading(page, /^Servers/)
    await page.context().close()
  })

  test('R2-113: a page with something to lose asks before it is left', async () => {
    const { page } = await signedIn('alice')
    await page.goto(at('/web/account'))
    await page.getByLabel('New password').fill('a password half way')
    await page.getByRole('link', { name: 'Servers' }).click()
    const question = page.getByRole('alertdialog', { name: 'Leave this page?' })
    await question.waitFor()
    await question.getByRole('button', { name: 'Cancel' }).click()
    await heading(page, 'Account settings')
    expect(page.url()).toBe(at('/web/account'))
    await page.getByRole('link', { name: 'Servers' }).click()
    await question.getByRole('button', { name: 'Leave page' }).click()
    await heading(page, /^Servers/)
    await page.context().close()
  })

  test('R4-004, R4-005, R4-006, R9-020: light at first; a choice lasts and reaches the other tabs', async () => {
    const { page } = await signedIn('alice')
    const theme = (tab: Page): Promise<string | undefined> => tab.evaluate(() => document.documentElement.dataset['theme'])
    await page.goto(at('/web/support'))
    await heading(page, 'Help & Support')
    await expect.poll(() => theme(page)).toBe('light')
    const other = await page.context().newPage()
    await other.goto(at('/web/support'))
    await heading(other, 'Help & Support')
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menuitem', { name: 'Dark' }).click()
    await expect.poll(() => theme(other)).toBe('dark')
    expect(await page.evaluate(() => localStorage.getItem('grv_teleport_ui_theme'))).toBe('dark')
    await page.reload()
    await heading(page, 'Help & Support')
    await expect.poll(() => theme(page)).toBe('dark')
    await page.context().close()
  })

  test('R4-014, R4-024, R4-026, R4-027, R4-029: signing out in one tab ends the other; the theme stays', async () => {
    const { page } = await signedInTo(browser, world, 'alice', world.signIn('alice'))
    await page.goto(scoped('nodes'))
    await heading(page, /^Servers/)
    await page.evaluate(() => {
      localStorage.setItem('grv_teleport_ui_theme', 'dark')
      localStorage.setItem('sallyport_draft', 'x')
    })
    const other = await page.context().newPage()
    await other.goto(at('/web/account/twofactor'))
    await heading(other, 'Account settings')
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await heading(page, /^Sign in to /)
    expect(page.url()).toBe(at('/web/login'))
    await heading(other, /^Sign in to /)
    expect(new URL(other.url()).searchParams.get('redirect_uri')).toBe(at('/web/account/twofactor'))
    expect(await page.evaluate(() => Object.keys(localStorage))).toEqual(['grv_teleport_ui_theme'])
    await page.context().close()
  })

  test('R6-020: a password is changed with the code as proof, and refused with a wrong one', async () => {
    const { page } = await signedIn('carol')
    const carol = world.person('carol')
    const fill = async (current: string): Promise<void> => {
      await page.getByLabel('Current password').fill(current)
      await page.getByLabel('New password').fill('carol opens another port')
      await page.getByLabel('Confirm password').fill('carol opens another port')
      await page.getByLabel('One-time code').fill(await carol.authenticator.code())
      await page.getByRole('button', { name: 'Change password' }).click()
    }
    await page.goto(at('/web/account/password'))
    await fill('not my password')
    await page.getByText('Could not change the password.').waitFor()
    await fill(carol.password)
    await page.getByText('Password changed').waitFor()
    await expect.poll(() => page.getByLabel('Current password').inputValue()).toBe('')
    await page.context().close()
  })

  test('R8-008: when the proxy is gone, the list says so and keeps its rows', async () => {
    const { page } = await signedIn('alice')
    await page.goto(scoped('nodes'))
    const row = page.getByRole('row', { name: new RegExp(agentHostname) })
    await row.waitFor()
    await world[Symbol.asyncDispose]()
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByText('Network request failed').first().waitFor()
    expect(await row.count()).toBe(1)
    await page.context().close()
  })
})

describe.skipIf(whyNoProgram('chromium'))('a console whose files are not all there any more', () => {
  let folder: string
  let world: World
  let browser: Browser
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sallyport-console-'))
    cpSync(join(import.meta.dirname, '..', 'packages', 'console', 'dist'), folder, { recursive: true })
    for (const chunk of globSync('app/Support-*.js*', { cwd: folder })) rmSync(join(folder, chunk))
    world = await createWorld({ people: ['alice'], settings: { consoleDir: folder } })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })

  test('R8-009: a screen whose chunk cannot be loaded names it and offers a reload; the navigation stays', async () => {
    const { page } = await signedInTo(browser, world, 'alice')
    await page.goto(`${world.url}/web/account`)
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menuitem', { name: 'Help & Support' }).click()
    await page.getByText(/^Unable to preload CSS for \/web\/app\/Support-.+\.js$/).waitFor()
    await page.getByRole('button', { name: 'Reload' }).waitFor()
    await page.getByRole('link', { name: 'Servers' }).click()
    await page.getByRole('heading', { level: 1, name: /^Servers/ }).waitFor()
    await page.context().close()
  })
})
