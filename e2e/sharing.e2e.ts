/** People in one session: the list of what runs, joining, moderation, and coming back after the connection broke. */
import diagnostics from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ownLogin } from '@sallyport/testkit/people.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { TerminalClient } from '@sallyport/testkit/terminal-client.ts'
import { agentHostname, createWorld, type World } from '@sallyport/testkit/world.ts'
import { create as createRole } from '@sallyport/wire/calls/roles.ts'
import { update as updateUser } from '@sallyport/wire/calls/users.ts'
import { sessionFramePayload } from '@sallyport/wire/sockets/terminal.ts'
import { inspect, keepPicture, narrow, openBrowser, wide } from './browser.ts'
import { screenText } from './terminal-screen.ts'
import { clientOf, reconfigure, signedIn } from './visitor.ts'

describe.skipIf(whyNoProgram('chromium') ?? whyNoProgram('vim'))('shared sessions', () => {
  let world: World
  let browser: Browser
  /** Connections that the proxy has taken. */
  const connections = new Set<Socket>()
  const onConnection = (message: unknown): void => {
    const { socket } = message as { socket: Socket }
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  }
  beforeAll(async () => {
    diagnostics.subscribe('net.server.socket', onConnection)
    world = await createWorld({ people: ['alice', 'bob', 'carol'] })
    browser = await openBrowser()
    const alice = await clientOf(world, 'alice')
    const role = (name: string, allow: unknown) =>
      alice.call(createRole, { body: { content: JSON.stringify({ kind: 'role', version: 'v6', metadata: { name }, spec: { allow } }) } })
    await role('guiding', { join_sessions: [{ name: 'g', roles: ['*'], kinds: ['ssh'], modes: ['moderator', 'observer'] }] })
    await role('watched', {
      require_session_join: [
        { name: 'four eyes', filter: 'contains(user.spec.roles, "guiding")', kinds: ['ssh'], modes: ['moderator'], on_leave: 'pause' },
      ],
    })
    await alice.call(updateUser, { body: { name: 'carol', roles: ['auditor', 'guiding'] } })
    await alice.call(updateUser, { body: { name: 'bob', roles: ['access', 'watched'] } })
  })
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
    diagnostics.unsubscribe('net.server.socket', onConnection)
  })

  const console = (rest: string): string => `${world.url}/web/cluster/${world.cluster}/console/${rest}`
  const sessionsPage = (): string => `${world.url}/web/cluster/${world.cluster}/sessions`
  const prompt = (page: Page) => expect.poll(() => screenText(page)).toMatch(/[$#]$/m)
  const sidOf = async (page: Page): Promise<string> => {
    await page.waitForURL(/\/console\/session\/[0-9a-f-]{36}/)
    return /session\/([0-9a-f-]{36})/.exec(page.url())?.[1] ?? ''
  }

  test('R1-007, R2-020, R2-073: what runs is listed, joined as the roles say, and ended', async () => {
    await using terminal = await TerminalClient.open(await clientOf(world, 'alice'), {
      cluster: world.cluster,
      serverId: world.agentId,
      login: ownLogin,
    })
    await terminal.frame('s')
    const { page, noErrors } = await signedIn(browser, world, 'carol')
    await page.goto(sessionsPage())
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Active Sessions' }).waitFor()
    const row = page.getByRole('row').filter({ hasText: agentHostname })
    await row.getByText('Active', { exact: true }).waitFor()
    await expect.poll(() => page.title()).toContain('Active Sessions')
    await inspect(page, 'active-sessions')
    await row.getByRole('button', { name: `Join alice on ${agentHostname}` }).click()
    const menu = page.getByRole('menu', { name: `Join alice on ${agentHostname}` })
    await expect
      .poll(() => menu.getByRole('menuitem', { name: /^Observer/ }).getAttribute('href'))
      .toMatch(/\/console\/session\/[0-9a-f-]{36}\?mode=observer$/)
    await expect
      .poll(() => menu.getByRole('menuitem', { name: /^Peer/ }).textContent())
      .toContain('Your roles do not allow joining as peer')
    await keepPicture(page, 'active-sessions-join')
    await page.keyboard.press('Escape')
    await row.getByRole('button', { name: `More for the session of alice on ${agentHostname}` }).click()
    await page.getByRole('menuitem', { name: 'End session…' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'End session' }).click()
    await terminal.see('The session is closed: carol ended it.')
    await page.getByText('No one is connected').waitFor()
    noErrors()
    await page.context().close()
  })

  test('R6-040, R3-008: usage-based billing locks joining', async () => {
    await using terminal = await TerminalClient.open(await clientOf(world, 'alice'), {
      cluster: world.cluster,
      serverId: world.agentId,
      login: ownLogin,
    })
    await terminal.frame('s')
    const { page } = await signedIn(browser, world, 'carol')
    await reconfigure(page, { isUsageBasedBilling: true })
    await page.goto(sessionsPage())
    await page.getByRole('button', { name: `Join alice on ${agentHostname}` }).click()
    await page.getByRole('menuitem', { name: /^Joining sessions is locked/ }).waitFor()
    for (const mode of ['Observer', 'Moderator', 'Peer'])
      await expect.poll(() => page.getByRole('menuitem', { name: new RegExp(`^${mode}`) }).getAttribute('aria-disabled')).toBe('true')
    await page.context().close()
  })

  test('R2-029, R2-030: a moderated session waits, begins with its moderator, shows vim to who joins late, and is ended', async () => {
    const { page: bob } = await signedIn(browser, world, 'bob')
    await bob.goto(console(`node/${world.agentId}/${ownLogin}`))
    const sid = await sidOf(bob)
    await bob.getByText('Waiting for people.').waitFor()
    await inspect(bob, 'session-waiting')

    const { page: carol } = await signedIn(browser, world, 'carol')
    await carol.goto(console(`session/${sid}?mode=moderator`))
    await prompt(bob)
    await bob.getByText('Waiting for people.').waitFor({ state: 'hidden' })
    await bob.getByRole('button', { name: 'In this session: you, carol' }).waitFor()
    await bob.bringToFront()
    await bob.keyboard.type('vim -n -i NONE -u NONE -c "set nomore laststatus=2" late.txt\n')
    // The editor itself, and not the line that starts it.
    await expect.poll(() => screenText(bob)).toMatch(/^~\n~\n[^]*late\.txt/m)
    await bob.keyboard.type('ifour eyes see this')
    await expect.poll(() => screenText(bob)).toContain('four eyes see this')

    const { page: late, noErrors } = await signedIn(browser, world, 'carol')
    await late.goto(console(`session/${sid}?mode=observer`))
    await expect.poll(() => screenText(late)).toMatch(/^four eyes see this\n~\n/)
    await late.getByText('Observing').waitFor()
    await late.keyboard.type('unwanted')
    await bob.keyboard.type(' twice')
    await expect.poll(() => screenText(late)).toContain('four eyes see this twice')
    expect(await screenText(bob)).not.toContain('unwanted')
    await inspect(late, 'session-observer')
    await late.getByRole('button', { name: /^In this session/ }).click()
    await late.getByText('moderates').waitFor()
    await keepPicture(late, 'session-people')
    await late.keyboard.press('Escape')
    await late.getByRole('button', { name: 'Share' }).click()
    const share = late.getByRole('dialog', { name: 'Share this session' })
    await share.getByRole('radio', { name: /^Peer/ }).check()
    await expect.poll(() => share.locator('code').textContent()).toBe(console(`session/${sid}?mode=peer`))
    for (const size of [narrow, wide]) {
      await late.setViewportSize(size)
      await keepPicture(late, `session-share-${size.width}`)
    }
    noErrors()

    await carol.bringToFront()
    await carol.locator('.xterm-helper-textarea').focus()
    await carol.keyboard.press('t')
    await carol
      .getByRole('alertdialog', { name: /^End the session on/ })
      .getByRole('button', { name: 'End session' })
      .click()
    await bob.getByRole('alert').getByText('The session is closed: carol ended it.').waitFor()
    await bob.getByRole('button', { name: 'New session' }).waitFor()
    await inspect(bob, 'session-ended-by-moderator')
    for (const page of [bob, carol, late]) await page.context().close()
  })

  test('who may end a session puts one person out of it, with the keyboard alone', async () => {
    const alice = await clientOf(world, 'alice')
    await using owner = await TerminalClient.open(alice, { cluster: world.cluster, serverId: world.agentId, login: ownLogin })
    const { session } = sessionFramePayload.parse(JSON.parse(await owner.frame('s')))
    const { page: carol, noErrors } = await signedIn(browser, world, 'carol')
    await carol.goto(console(`session/${session.id}?mode=moderator`))
    await carol.getByRole('button', { name: 'In this session: you, alice' }).press('Enter')
    const remove = carol.getByRole('button', { name: /^Remove alice, watches and types/ })
    await remove.waitFor()
    expect(await carol.getByRole('button', { name: /^Remove carol/ }).count()).toBe(0)
    await remove.focus()
    await inspect(carol, 'session-people')
    await remove.press('Enter')
    const question = carol.getByRole('alertdialog', { name: 'Remove alice from the session?' })
    await question.waitFor()
    await inspect(carol, 'session-remove')
    await question.getByRole('button', { name: 'Remove' }).press('Enter')
    await owner.see('You were removed from the session by carol.')
    await carol.getByText('alice was removed from the session').waitFor()
    await carol.getByRole('button', { name: /^In this session/ }).waitFor({ state: 'hidden' })
    await expect.poll(() => carol.evaluate(() => document.activeElement?.className)).toContain('xterm')
    noErrors()
    await carol.context().close()
  })

  test('a connection that breaks is made anew by itself: the same shell, nothing lost, nothing twice', async () => {
    const { page } = await signedIn(browser, world, 'alice')
    await page.goto(console(`node/${world.agentId}/${ownLogin}`))
    await prompt(page)
    await page.keyboard.type('X=shell-$$; echo first-$X\n')
    await expect.poll(() => screenText(page)).toMatch(/^first-shell-\d+$/m)
    const shell = /first-(shell-\d+)/.exec(await screenText(page))?.[1] ?? ''
    const before = (await screenText(page)).trimEnd()
    // What the page sees while nothing can be reached.
    await page.context().setOffline(true)
    for (const connection of connections) connection.destroy()
    await page.getByText('Reconnecting.').waitFor()
    await inspect(page, 'session-reconnecting')
    await page.context().setOffline(false)
    await page.getByText('Reconnecting.').waitFor({ state: 'hidden' })
    await page.locator('.xterm-helper-textarea').focus()
    await page.keyboard.type('echo again-$X\n')
    await expect.poll(() => screenText(page)).toContain(`again-${shell}`)
    expect((await screenText(page)).startsWith(before)).toBe(true)
    expect(await screenText(page)).not.toContain('missing here')
    await page.context().close()
  })
})
