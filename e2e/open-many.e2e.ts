/** From several servers of the list to one console, and from a few words to a terminal. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ownLogin } from '@sallyport/testkit/people.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { agentHostname, createWorld, sshdHostname, type World } from '@sallyport/testkit/world.ts'
import { inspect, openBrowser } from './browser.ts'
import { screenText } from './terminal-screen.ts'
import { signedIn } from './visitor.ts'

describe.skipIf(whyNoProgram('chromium') ?? whyNoProgram('sshd'))('many terminals', () => {
  let world: World
  let browser: Browser
  let page: Page
  let noErrors: () => void

  beforeAll(async () => {
    world = await createWorld({ people: ['alice'] })
    browser = await openBrowser()
    ;({ page, noErrors } = await signedIn(browser, world, 'alice'))
  })
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
  })

  test('servers that are marked open as tabs of one console, each with its own shell', async () => {
    await page.goto(`${world.url}/web/cluster/${world.cluster}/nodes`)
    for (const name of [agentHostname, sshdHostname]) await page.getByRole('checkbox', { name: `Mark ${name}` }).check()
    await page.getByRole('button', { name: 'Open terminals…' }).click()
    await page.getByRole('combobox', { name: 'Login' }).fill(ownLogin)
    await page.getByRole('dialog', { name: 'Open 2 terminals?' }).getByText(sshdHostname).waitFor()
    await inspect(page, 'servers-open-many')
    const opened = page.context().waitForEvent('page')
    await page.getByRole('button', { name: 'Open 2 terminals' }).click()
    const many = await opened
    await expect
      .poll(() => many.getByRole('tab').allTextContents())
      .toEqual([`${ownLogin}@${agentHostname}`, `${ownLogin}@${sshdHostname}, new output`])
    await expect.poll(() => screenText(many)).toMatch(/[$#]$/m)
    await many.keyboard.press('Alt+2')
    await expect.poll(() => many.title()).toContain(`${ownLogin}@${sshdHostname}`)
    // The same address again opens nothing: what was handed over is used up.
    await page.getByRole('checkbox', { name: `Mark ${agentHostname}`, checked: false }).waitFor()
    await many.close({ runBeforeUnload: false })
  })

  test('the picker finds servers by words and expressions with the login that stands before them, and remembers', async () => {
    await page.goto(`${world.url}/web/cluster/${world.cluster}/console/nodes`)
    await page.getByRole('link', { name: `${ownLogin}@${sshdHostname}` }).waitFor()
    const quick = page.getByLabel('Quick connect')
    await quick.fill(`someone@labels["served"] == "agent"`)
    await quick.press('Enter')
    await page.getByRole('link', { name: `Connect to ${agentHostname} as someone` }).waitFor()
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    await inspect(page, 'console-picker')
    await quick.fill(`${ownLogin}@${agentHostname}`)
    await quick.press('Enter')
    await expect.poll(() => screenText(page)).toMatch(/[$#]$/m)
    noErrors()
  })
})
