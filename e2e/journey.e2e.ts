/** First light: from one command to a real shell in the browser, recorded and audited. The tests are steps of one story. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { Authenticator } from '@sallyport/testkit/authenticator.ts'
import { freePort } from '@sallyport/testkit/targets/free-port.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { inspect, keepPicture, newPerson, openBrowser } from './browser.ts'
import { run, type Running } from './process.ts'
import { typeInTerminal } from './terminal-keys.ts'
import { screenText } from './terminal-screen.ts'

const password = 'a door in the castle wall'
const login = userInfo().username

describe.skipIf(whyNoProgram('chromium'))('first light', () => {
  let folder: string
  let port: number
  let started: Running
  let invite: string
  let browser: Browser
  let page: Page
  let noErrors: () => void
  let authenticator: Authenticator
  let username: string

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sallyport-journey-'))
    port = await freePort()
    browser = await openBrowser()
    ;({ page, noErrors } = await newPerson(browser))
  })
  afterAll(async () => {
    await browser.close()
    await started[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail')
      for (const open of page.context().pages())
        await keepPicture(open, `failed-${task.name.slice(0, 1)}-${page.context().pages().indexOf(open)}`)
  })

  test('1: one command prints the address and, once, the invite link', async () => {
    started = run('npm', ['start', '--', '--listen', `127.0.0.1:${port}`, '--data-dir', join(folder, 'data')])
    invite = await started.line(/\/web\/invite\//)
    expect(invite).toMatch(new RegExp(`^http://localhost:${port}/web/invite/[0-9a-f]+$`))
    await expect(started.line(new RegExp(`http://localhost:${port}/web$`))).resolves.toBeTruthy()
  })

  test('2: the link leads over password and authenticator app to the servers', async () => {
    await page.goto(invite)
    await page.getByRole('link', { name: 'Get started' }).waitFor()
    await inspect(page, 'invite-welcome')
    await page.getByRole('link', { name: 'Get started' }).click()

    username = await page.getByLabel('Username').inputValue()
    await inspect(page, 'invite-password')
    await page.getByLabel('New password').fill(password)
    await page.getByLabel('Confirm password').fill(password)
    await page.getByRole('button', { name: 'Next' }).click()

    await page.getByRole('radio', { name: 'Authenticator app' }).click()
    await page.getByRole('button', { name: 'Show the key' }).click()
    authenticator = new Authenticator((await page.locator('code, pre').first().innerText()).trim())
    await inspect(page, 'invite-second-factor')
    await page.getByLabel('One-time code').fill(await authenticator.code())
    await page.getByRole('button', { name: 'Finish' }).click()

    await page.getByRole('heading', { name: 'Servers' }).waitFor()
    expect(new URL(page.url()).pathname).toMatch(/^\/web\/cluster\/[^/]+\/nodes$/)
    // Rows of what is being loaded have no button yet.
    await page
      .getByRole('button', { name: /^Connect/ })
      .first()
      .waitFor()
    await inspect(page, 'servers')
    noErrors()
  })

  test('3: R0-002: Connect opens a real terminal in a tab of its own', async () => {
    const opened = page.context().waitForEvent('page')
    await page
      .getByRole('button', { name: /^Connect/ })
      .first()
      .click()
    await page.getByRole('link', { name: login, exact: true }).click()
    const terminal = await opened
    await expect.poll(() => screenText(terminal)).toMatch(/[$#]$/m)
    await typeInTerminal(terminal, "printf '\\033[31mred\\033[0m %s\\n' grüße-$((6*7))\n")
    await expect.poll(() => screenText(terminal)).toContain('red grüße-42')
    expect(terminal.url()).toMatch(/\/console\/session\/[0-9a-f-]+/)
    await inspect(terminal, 'terminal')
    await typeInTerminal(terminal, 'exit\n')
    await terminal.getByRole('tab', { name: new RegExp(`^${login}@`) }).waitFor({ state: 'detached' })
    await terminal.close()
    noErrors()
  })

  test('4: the session is in the recordings and plays', async () => {
    await page.getByRole('radio', { name: 'Management' }).click({ force: true })
    await page.getByRole('link', { name: 'Session Recordings' }).click()
    await page.getByRole('heading', { name: /^Session recordings/ }).waitFor()
    await page
      .getByRole('link', { name: /^Play session/ })
      .first()
      .waitFor()
    await inspect(page, 'recordings')
    const opened = page.context().waitForEvent('page')
    await page
      .getByRole('link', { name: /^Play session/ })
      .first()
      .click()
    const player = await opened
    await player.getByRole('button', { name: /^Pause|^Play/ }).waitFor()
    await expect.poll(() => screenText(player)).toContain('grüße-42')
    await inspect(player, 'player')
    await player.close()
    noErrors()
  })

  test('5: the audit log tells all of it', async () => {
    await page.getByRole('link', { name: 'Audit Log' }).click()
    await page.getByRole('heading', { name: /^Audit log/i }).waitFor()
    // Rows of what is being loaded have no text yet.
    for (const title of ['Local sign-in', 'Session started', 'Session joined', 'Session left', 'Session ended', 'Recording stored'])
      await page.getByRole('row', { name: title }).first().waitFor()
    await page
      .getByRole('row', { name: /Session started/ })
      .getByRole('button', { name: 'Details' })
      .click()
    await page.getByText('T2000I').first().waitFor()
    await inspect(page, 'audit')
    noErrors()
  })

  test('6: the theme follows across tabs; sign-out; sign-in with password and code; the session survives a reload', async () => {
    const other = await page.context().newPage()
    await other.goto(page.url())
    await other.getByRole('heading', { level: 1 }).waitFor()
    await other.getByRole('button', { name: /^Account/ }).click()
    await other.getByRole('menuitem', { name: 'Dark' }).click()
    await expect.poll(() => other.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark')
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark')
    await other.close()
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    await inspect(page, 'login')
    await page.getByLabel('Username').fill(username)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('radio', { name: 'Authenticator app' }).click({ force: true })
    await page.getByLabel('One-time code').fill(await authenticator.code())
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Servers' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Servers' }).waitFor()
    noErrors()
  })
})
