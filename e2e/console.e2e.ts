/** The console around its terminals: tabs, broadcast, settings, and what survives a reload. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ownLogin } from '@sallyport/testkit/people.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { createWorld, type World } from '@sallyport/testkit/world.ts'
import { inspect, keepPicture, openBrowser } from './browser.ts'
import { typeInTerminal } from './terminal-keys.ts'
import { screenText } from './terminal-screen.ts'
import { signedIn } from './visitor.ts'

describe.skipIf(whyNoProgram('chromium'))('the console', () => {
  let world: World
  let browser: Browser
  let page: Page
  let noErrors: () => void
  const tabs = () => page.getByRole('tab')
  const shows = (text: string | RegExp) => expect.poll(() => screenText(page)).toMatch(text)
  const type = (text: string) => typeInTerminal(page, text)
  const menu = async (entry: string) => {
    await page.getByRole('button', { name: 'Menu', exact: true }).click()
    await page.getByRole('menuitem', { name: entry }).click()
  }

  beforeAll(async () => {
    world = await createWorld({ people: ['alice'] })
    browser = await openBrowser()
    ;({ page, noErrors } = await signedIn(browser, world, 'alice'))
    await page.goto(`${world.url}/web/cluster/${world.cluster}/console/node/${world.agentId}/${ownLogin}`)
  })
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
  })

  test('a tab is named, coloured and duplicated with the keyboard; the copy stands beside it', async () => {
    await shows(/[$#]$/m)
    await type('mine=first\n')
    await shows(/mine=first\n.*[$#]$/m)
    await page.keyboard.press('Control+Shift+Escape')
    await page.keyboard.press('F2')
    await page.getByRole('textbox', { name: 'Name' }).fill('database')
    await page.getByText('green', { exact: true }).click()
    await inspect(page, 'console-tab-name')
    await page.getByRole('textbox', { name: 'Name' }).press('Enter')
    await page.getByRole('tab', { name: 'database' }).press('Shift+F10')
    await page.getByRole('menuitem', { name: 'Duplicate' }).waitFor()
    await keepPicture(page, 'console-tab-menu')
    await page.getByRole('menuitem', { name: 'Duplicate' }).click()
    await expect.poll(() => tabs().count()).toBe(2)
    await expect.poll(() => screenText(page)).not.toContain('mine=first')
    await shows(/[$#]$/m)
    await type('mine=second\n')
    await shows(/mine=second\n.*[$#]$/m)
    await expect.poll(() => page.title()).toContain('database')
  })

  test('the way to the server is measured, leg by leg', async () => {
    await page.getByRole('button', { name: /^Latency \d+ ms/ }).click()
    await page.getByText('You to the proxy').waitFor()
    await keepPicture(page, 'console-latency')
    await page.keyboard.press('Escape')
  })

  test('a reload finds every tab again, in its own running shell', async () => {
    await page.reload()
    await expect.poll(() => tabs().count()).toBe(2)
    await shows(/mine=second/)
    await type('echo shell-$mine\n')
    await shows(/^shell-second$/m)
    await page.keyboard.press('Alt+1')
    await shows(/mine=first/)
    await expect.poll(() => tabs().first().getAttribute('aria-selected')).toBe('true')
    await type('echo shell-$mine\n')
    await shows(/^shell-first$/m)
  })

  test('what is typed in a broadcast runs in every terminal of it; the page says so until it stops', async () => {
    await page.keyboard.press('Control+Shift+B')
    await page.getByRole('dialog').waitFor()
    await keepPicture(page, 'console-broadcast-start')
    await page.getByRole('button', { name: 'Broadcast to 2 terminals' }).click()
    await page.getByText('What you type here runs in all of them.').waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await type('echo both-$mine\n')
    await shows(/^both-first$/m)
    await inspect(page, 'console-broadcast')
    await expect.poll(() => page.title()).toContain('Broadcast')
    await page.keyboard.press('Alt+2')
    await shows(/^both-second$/m)
    await page.getByRole('button', { name: 'Take this one out' }).click()
    await page.getByText('Broadcast to').waitFor({ state: 'detached' })
    await page.getByRole('tab', { selected: true }).press('Enter')
    await type('echo alone-$mine\n')
    await shows(/^alone-second$/m)
    await page.keyboard.press('Alt+1')
    await shows(/both-first/)
    expect(await screenText(page)).not.toContain('alone')
  })

  test('settings hold at once and after a reload; the sheet lists the keys', async () => {
    await page.getByRole('button', { name: 'Terminal settings' }).click()
    await inspect(page, 'console-settings')
    await page.getByRole('combobox', { name: 'Colours' }).click()
    await page.getByRole('option', { name: 'High contrast' }).click()
    await page.getByRole('switch', { name: 'Copy what is selected at once' }).check()
    await page.getByRole('button', { name: 'Close', exact: true }).click()
    const ground = () => page.locator('.terminal-engine').evaluate((element) => getComputedStyle(element).backgroundColor)
    await expect.poll(() => ground()).toBe('rgb(0, 0, 0)')
    await page.keyboard.press('Control+Shift+?')
    await page.getByText('Broadcast to several terminals, or stop').waitFor()
    await inspect(page, 'console-keys')
    await page.keyboard.press('Escape')
    await page.reload()
    await shows(/[$#]$/m)
    await expect.poll(() => ground()).toBe('rgb(0, 0, 0)')
    await type('echo copied-$((6*7))\n')
    await shows(/^copied-42$/m)
    await page.locator('.xterm-rows').getByText('copied-42').last().dblclick({ force: true })
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('42')
  })

  test('closing a session that has run for a while asks first', async () => {
    await page.clock.setFixedTime(Date.now() + 60_000)
    await page.getByRole('tab', { selected: true }).click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Close others' }).click()
    await page.getByRole('button', { name: 'End session' }).click()
    await expect.poll(() => tabs().count()).toBe(1)
    await menu('Terminal settings')
    await page.getByRole('button', { name: 'Close', exact: true }).click()
    noErrors()
  })
})
