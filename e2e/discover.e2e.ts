/** Enrolling a server, from the list of servers to a terminal on it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ownLogin } from '@sallyport/testkit/people.ts'
import { startOwnSshd, type OwnSshd } from '@sallyport/testkit/targets/own-sshd.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { createWorld, type World } from '@sallyport/testkit/world.ts'
import { create as createRole } from '@sallyport/wire/calls/roles.ts'
import { create as createToken } from '@sallyport/wire/calls/tokens.ts'
import { update as updateUser } from '@sallyport/wire/calls/users.ts'
import { storageKeys } from '@sallyport/wire/limits.ts'
import { inspect, openBrowser } from './browser.ts'
import { clientOf, signedIn } from './visitor.ts'

describe.skipIf(whyNoProgram('chromium') ?? whyNoProgram('sshd'))('enrolling', () => {
  let world: World
  let browser: Browser
  let sshd: OwnSshd
  beforeAll(async () => {
    world = await createWorld({ people: ['alice', 'bob', 'dan'] })
    sshd = await startOwnSshd({ keyType: 'ed25519' })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await sshd[Symbol.asyncDispose]()
    await world[Symbol.asyncDispose]()
  })

  const at = (path: string): string => world.url + path
  const heading = (page: Page, name: string | RegExp): Promise<void> => page.getByRole('heading', { level: 1, name }).waitFor()
  const step = (page: Page) => page.getByRole('navigation', { name: 'Steps' }).locator('[aria-current=step]')
  /** What a person does on the machine; the options say that the server of this test is meant, and not the system's. */
  async function runOnMachine(command: string): Promise<string> {
    const args = ['-c', `${command.replace(/^sudo /, '')} "$@"`, 'bash', 'openssh', ...sshd.options, '--hostname', 'enrolled']
    const child = spawn('bash', args, { stdio: ['ignore', 'pipe', 'pipe'] })
    const [out, complaint] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    return out + complaint
  }

  test('R1-018, R2-003, R2-079: alice enrolls a server with the command that she is shown, tests it and connects', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    await page.goto(at(`/web/cluster/${world.cluster}/nodes`))
    await page.getByRole('link', { name: 'Enroll server' }).click()
    await heading(page, 'What do you want to reach?')
    await expect.poll(async () => [page.url(), await page.title()]).toEqual([at('/web/discover?kind=server'), 'Enroll New Resource'])
    const entry = page.getByRole('region', { name: 'Access' }).getByRole('link', { name: 'Enroll New Resource' })
    await expect.poll(() => entry.getAttribute('aria-current')).toBe('page')

    // By keyboard alone.
    const focused = (role: 'heading' | 'searchbox') => page.getByRole(role).and(page.locator(':focus')).waitFor()
    await focused('heading')
    await page.keyboard.press('/')
    await focused('searchbox')
    await page.keyboard.type('sshd')
    const tile = page.getByRole('list', { name: 'Resources' }).getByRole('button')
    await expect.poll(() => tile.count()).toBe(1)
    await tile.focus()
    await page.keyboard.press('Enter')
    await heading(page, 'Run this on the server')
    await expect.poll(() => step(page).textContent()).toContain('Configure')
    const command = page.locator('pre', { hasText: 'install-openssh.sh' })
    await page.getByText('Waiting for the server to join').waitFor()
    await page.getByText(/^Token valid for/).waitFor()
    const shown = await command.textContent()
    await page.getByLabel('Labels').fill('env=test')
    await page.keyboard.press('Enter')
    await expect.poll(() => command.allTextContents()).toEqual([expect.not.stringContaining(shown ?? '')])
    const labelled = (await command.textContent()) ?? ''
    await page.getByRole('button', { name: 'Not joining?' }).click()
    await page.getByText('The command was not run').waitFor()
    await inspect(page, 'discover-script')

    // It survives a reload: the machine may join with the command from before.
    await page.reload()
    await page.getByText('Waiting for the server to join').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Next: set up access' }).isDisabled()).toBe(true)
    expect(await runOnMachine(labelled)).toContain('enrolled is registered')
    await page.getByText('Joined', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Next: set up access' }).click()

    await heading(page, 'Set up access')
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Manage Users' }).click()
    const leaving = page.getByRole('alertdialog', { name: 'Leave this page?' })
    await leaving.getByRole('button', { name: 'Cancel' }).click()
    await page.getByLabel('Your own logins').fill('deploy')
    await page.keyboard.press('Enter')
    const renewed = page.waitForRequest((request) => request.url().endsWith('/sessions/web/renew'))
    await page.getByRole('button', { name: 'Save and test' }).click()
    expect((await renewed).postDataJSON()).toEqual({ reloadUser: true })

    await heading(page, 'Test connection')
    await page.getByRole('combobox', { name: 'Login' }).click()
    await page.getByRole('option', { name: 'deploy' }).click()
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await page.getByText('You cannot connect yet.').waitFor()
    await page.getByText('Show the error').click()
    await page.getByText('The server does not let "deploy" in.').waitFor()
    await inspect(page, 'discover-test-failed')
    await page.getByRole('combobox', { name: 'Login' }).click()
    await page.getByRole('option', { name: ownLogin }).click()
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await page.getByText('You can connect.').waitFor()
    await expect.poll(() => page.getByRole('region', { name: 'Result of the test' }).getByRole('listitem').count()).toBe(4)
    await page.getByRole('button', { name: 'Finish' }).click()

    await heading(page, 'The door is open')
    const opened = page.waitForEvent('popup')
    await page.getByRole('link', { name: /^Connect now as/ }).click()
    await (await opened).getByText('Recorded', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Open server list' }).click()
    await page.getByRole('table', { name: 'Servers' }).getByText('enrolled', { exact: true }).waitFor()
    noErrors()
    await page.context().close()
  })

  test('after five minutes without a server, likely causes are told', async () => {
    const { page } = await signedIn(browser, world, 'alice')
    await page.clock.install()
    await page.goto(at('/web/discover?resource=ubuntu&step=script'))
    await page.locator('pre', { hasText: 'install-node.sh' }).waitFor()
    await page.getByText('Waiting for the server to join').waitFor()
    expect(await page.getByRole('region', { name: 'Likely causes' }).count()).toBe(0)
    await page.clock.fastForward('05:05')
    await page.getByRole('region', { name: 'Likely causes' }).getByText('cannot reach the proxy').waitFor()
    await page.getByRole('button', { name: 'Keep waiting' }).click()
    await expect.poll(() => page.getByRole('region', { name: 'Likely causes' }).count()).toBe(0)
    await page.getByText('Waiting for the server to join').waitFor()
    await page.context().close()
  })

  test('where sessions ask for a second factor, the test asks for it first', async () => {
    const { page } = await signedIn(browser, world, 'alice')
    await page.route('**/mfa/required', (route) => route.fulfill({ json: { required: true } }))
    let sent: unknown
    await page.route('**/diagnostics/connections', (route) => {
      sent = route.request().postDataJSON()
      return route.continue()
    })
    await page.goto(at(`/web/discover?resource=openssh&step=test&name=${world.agentId}`))
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await dialog.getByLabel('One-time code').fill('123456')
    await dialog.getByRole('button', { name: 'Verify and test' }).click()
    await page.getByText('You can connect.').waitFor()
    expect(sent).toMatchObject({ mfa_response: { totp_code: '123456' } })
    await page.getByRole('button', { name: 'Finish' }).click()
    await heading(page, 'The door is open')
    await inspect(page, 'discover-finish')
    await page.context().close()
  })

  test('R6-030: who may not make tokens sees why, and cannot', async () => {
    const bob = await clientOf(world, 'bob')
    await expect(bob.call(createToken, { body: { roles: ['Node'] } })).rejects.toMatchObject({ status: 403 })
    const { page } = await signedIn(browser, world, 'bob')
    await page.goto(at(`/web/cluster/${world.cluster}/nodes`))
    const enroll = page.getByRole('button', { name: 'Enroll server' })
    await enroll.waitFor()
    await expect.poll(() => enroll.getAttribute('aria-disabled')).toBe('true')
    await page.goto(at('/web/discover?resource=openssh&step=script'))
    await page.getByText('You need permission to create join tokens.').waitFor()
    const tiles = page.getByRole('list', { name: 'Resources' }).getByRole('button')
    await tiles.first().waitFor()
    for (const tile of await tiles.all()) await expect.poll(() => tile.isDisabled()).toBe(true)
    await page.context().close()
  })

  test('R6-013: the wizard is for those who add or list, and closed to others', async () => {
    const alice = await clientOf(world, 'alice')
    const spec = {
      deny: { rules: [{ resources: ['node', 'app_server', 'db_server', 'kube_server', 'windows_desktop'], verbs: ['list'] }] },
    }
    await alice.call(createRole, {
      body: { content: JSON.stringify({ kind: 'role', version: 'v6', metadata: { name: 'no-list' }, spec }) },
    })
    await alice.call(updateUser, { body: { name: 'dan', roles: ['no-list'] } })
    const { page } = await signedIn(browser, world, 'dan')
    await page.goto(at('/web/discover'))
    await heading(page, 'Access Denied')
    expect(await page.getByRole('link', { name: 'Enroll New Resource' }).count()).toBe(0)
    await page.context().close()
  })

  test('R6-031, R9-019: whether there is anything to reach is asked once in a browser, and kept', async () => {
    const { page } = await signedIn(browser, world, 'alice')
    const asked: string[] = []
    page.on('request', (request) => void (request.url().endsWith('/resources/check') && asked.push(request.url())))
    const kept = () => page.evaluate((key) => localStorage.getItem(key), storageKeys.discover)
    await page.goto(at('/web/discover'))
    await heading(page, 'What do you want to reach?')
    expect(storageKeys.discover).toBe('grv_teleport_discover')
    expect([asked.length, await kept()]).toEqual([1, '{"hasResource":true}'])
    await page.reload()
    await heading(page, 'What do you want to reach?')
    expect(asked).toHaveLength(1)

    // An empty cluster: an invitation, said once.
    await page.evaluate((key) => localStorage.removeItem(key), storageKeys.discover)
    await page.route('**/resources/check', (route) => route.fulfill({ json: { hasResource: false } }))
    await page.reload()
    await page.getByRole('dialog', { name: 'Enroll your first resource' }).getByRole('button', { name: 'Later' }).click()
    await expect.poll(kept).toBe('{"hasResource":false,"notified":true}')
    await page.reload()
    await heading(page, 'What do you want to reach?')
    expect(await page.getByRole('dialog').count()).toBe(0)
    await inspect(page, 'discover-select')
    await page.context().close()
    // Bob could not do anything about it.
    const { page: his } = await signedIn(browser, world, 'bob')
    his.on('request', (request) => void (request.url().endsWith('/resources/check') && asked.push('bob')))
    await his.goto(at('/web/discover'))
    await heading(his, 'What do you want to reach?')
    expect(asked).not.toContain('bob')
    await his.context().close()
  })
})
