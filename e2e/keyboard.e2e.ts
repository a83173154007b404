/** The journey of a person who has no pointer. */
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ownLogin } from '@sallyport/testkit/people.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { agentHostname, createWorld, type World } from '@sallyport/testkit/world.ts'
import { newPerson, openBrowser } from './browser.ts'
import { typeInTerminal } from './terminal-keys.ts'
import { screenText } from './terminal-screen.ts'

/** More stops than any screen of the journey has. */
const stops = 80

const hasFocus = (target: Locator): Promise<boolean> => target.evaluate((element) => element === document.activeElement)

/** Goes on with Tab until the target has the focus; it must be seen to have it. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  for (let stop = 0; stop < stops && !(await hasFocus(target)); stop++) await page.keyboard.press('Tab')
  expect(await hasFocus(target), `${target.toString()} is reached with Tab`).toBe(true)
}

describe.skipIf(whyNoProgram('chromium'))('keyboard alone', () => {
  let world: World
  let browser: Browser
  let page: Page
  let noErrors: () => void

  beforeAll(async () => {
    world = await createWorld({ people: ['alice'] })
    browser = await openBrowser()
    ;({ page, noErrors } = await newPerson(browser))
  })
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
  })

  test('signs in: the user name has the focus, Enter submits', async () => {
    const alice = world.person('alice')
    await page.goto(`${world.url}/web/login`)
    await expect.poll(() => hasFocus(page.getByLabel('Username'))).toBe(true)
    await page.keyboard.type(alice.name)
    await page.keyboard.press('Tab')
    await page.keyboard.type(alice.password)
    await tabTo(page, page.getByRole('radio', { checked: true }))
    await page.keyboard.press('ArrowRight')
    await tabTo(page, page.getByLabel('One-time code'))
    await page.keyboard.type(await alice.authenticator.code())
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Servers' }).waitFor()
  })

  test('opens a shell from the list, leaves the terminal for its tab, and comes back', async () => {
    const row = page.getByRole('row', { name: new RegExp(agentHostname) })
    await row.waitFor()
    await page.keyboard.press('/')
    await expect.poll(() => hasFocus(page.getByRole('searchbox', { name: 'Search servers' }))).toBe(true)
    await page.keyboard.type(agentHostname)
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    await tabTo(page, row.getByRole('button', { name: /^Connect/ }))
    await page.keyboard.press('Enter')
    const picker = page.getByRole('dialog', { name: /^Connect to/ })
    await expect.poll(() => hasFocus(picker.getByRole('textbox'))).toBe(true)
    const opened = page.context().waitForEvent('page')
    await page.keyboard.type(ownLogin)
    await page.keyboard.press('Enter')
    const terminal = await opened
    await expect.poll(() => screenText(terminal)).toMatch(/[$#]$/m)
    await typeInTerminal(terminal, 'echo $((6*7))\n')
    await expect.poll(() => screenText(terminal)).toMatch(/^42$/m)

    const tab = terminal.getByRole('tab', { name: new RegExp(`^${ownLogin}@`) })
    await terminal.keyboard.press('Control+Shift+Escape')
    await expect.poll(() => hasFocus(tab)).toBe(true)
    await terminal.keyboard.press('Enter')
    await typeInTerminal(terminal, 'exit\n')
    await tab.waitFor({ state: 'detached' })
    await terminal.close()
  })

  test('plays the recording to its end and goes back to its start', async () => {
    await tabTo(page, page.getByRole('radio', { name: 'Resources' }))
    await page.keyboard.press('ArrowRight')
    const link = page.getByRole('link', { name: 'Session Recordings' })
    await link.waitFor()
    await tabTo(page, link)
    await page.keyboard.press('Enter')
    const play = page.getByRole('link', { name: /^Play session/ }).first()
    await tabTo(page, play)
    const opened = page.context().waitForEvent('page')
    await page.keyboard.press('Enter')
    const player = await opened
    await player
      .getByRole('button', { name: /^(Pause|Play|Replay)/ })
      .first()
      .waitFor()
    await player.keyboard.press('End')
    await expect.poll(() => screenText(player)).toMatch(/^42$/m)
    // Until it has ended it would play on from the start.
    await player.getByRole('button', { name: 'Play again' }).waitFor()
    await player.keyboard.press('Home')
    await expect.poll(() => screenText(player)).not.toMatch(/^42$/m)
    await player.close()
  })

  test('reads an event of the audit log, closes it with Escape, and signs out', async () => {
    const link = page.getByRole('link', { name: 'Audit Log' })
    await tabTo(page, link)
    await page.keyboard.press('Enter')
    const details = page.getByRole('row', { name: /Session started/ }).getByRole('button', { name: 'Details' })
    await tabTo(page, details)
    await page.keyboard.press('Enter')
    await page.getByText('T2000I').first().waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('T2000I').first().waitFor({ state: 'detached' })

    await tabTo(page, page.getByRole('button', { name: /^Account/ }))
    await page.keyboard.press('Enter')
    await page.getByRole('menu').waitFor()
    await page.keyboard.press('End')
    await expect.poll(() => hasFocus(page.getByRole('menuitem', { name: 'Sign out' }))).toBe(true)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    noErrors()
  })
})
