/** A cluster that has every session confirmed: the terminal asks for the key before its shell starts. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask } from '@sallyport/cli/admin-client.ts'
import { ownLogin } from '@sallyport/testkit/people.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { agentHostname, createWorld, type World } from '@sallyport/testkit/world.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { routePath } from '@sallyport/wire/routes.ts'
import { inspect, newPerson, openBrowser } from './browser.ts'
import { plugInKey } from './visitor.ts'

const password = 'a key opens the gate'

describe.skipIf(whyNoProgram('chromium'))('sessions that are confirmed', () => {
  let world: World
  let browser: Browser
  beforeAll(async () => {
    world = await createWorld({ people: [], settings: { requireSessionMfa: true } })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
  })

  test('a key opens the terminal; a tab behind that waits for one says so and is gone to', async () => {
    const { page, noErrors } = await newPerson(browser)
    await plugInKey(page)
    const { link } = await ask(world.dataDir, adminCalls.addUser, { name: 'gwen', roles: ['access'], logins: [ownLogin] })
    await page.goto(`${link}/continue`)
    await page.getByLabel('New password').fill(password)
    await page.getByLabel('Confirm password').fill(password)
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByRole('radio', { name: 'Security key' }).check()
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { level: 1, name: /^Servers/ }).waitFor()

    await page.goto(world.url + routePath('consoleConnect', { clusterId: world.cluster, serverId: world.agentId, login: ownLogin }))
    const question = page.getByRole('alertdialog', { name: 'Verify it is you' })
    await question.waitFor()
    // Nothing has told this browser the server's name, and its id tells nobody anything.
    await question.getByText(`Opening ${ownLogin}@… needs`).waitFor()
    await expect.poll(() => page.title()).toBe(`⚠ Verify • ${ownLogin}@… • ${world.cluster}`)
    await inspect(page, 'session-proof')
    await question.getByRole('button', { name: 'Verify' }).click()
    await page.waitForURL(/\/console\/session\/[0-9a-f-]{36}/)
    await question.waitFor({ state: 'hidden' })
    await expect.poll(() => page.title()).toBe(`${ownLogin}@${agentHostname} • ${world.cluster}`)

    await page.getByRole('button', { name: 'New tab' }).click()
    await page.getByRole('link', { name: `Connect to ${agentHostname} as ${ownLogin}` }).click()
    await question.getByText(`Opening ${ownLogin}@${agentHostname} needs`).waitFor()
    await page.keyboard.press('Alt+1')
    const bar = page.getByRole('alert').filter({ hasText: `${ownLogin}@${agentHostname} waits for your passkey or security key.` })
    await bar.waitFor()
    await question.waitFor({ state: 'hidden' })
    await page.getByRole('tab', { name: 'waits for your passkey or security key' }).waitFor()
    await expect.poll(() => page.title()).toContain('⚠ Verify')
    await inspect(page, 'session-proof-behind')
    await bar.getByRole('button', { name: `Verify for ${ownLogin}@${agentHostname}` }).press('Enter')
    await question.getByRole('button', { name: 'Verify' }).click()
    await question.waitFor({ state: 'hidden' })
    // The first shell is behind now, and a prompt that it is slow to write marks its tab as unread.
    await expect.poll(async () => (await page.title()).replace('● ', '')).toBe(`${ownLogin}@${agentHostname} • ${world.cluster}`)
    noErrors()
  })
})
