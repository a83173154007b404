/** A cluster that has every session confirmed: the terminal asks for the key before its shell starts. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { ask } from '@sallyport/cli/admin-client.ts'
import { ownLogin } from '@sallyport/testkit/people.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { createWorld, type World } from '@sallyport/testkit/world.ts'
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

  test('a key opens the terminal', async () => {
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
    await inspect(page, 'session-proof')
    await question.getByRole('button', { name: 'Verify' }).click()
    await page.waitForURL(/\/console\/session\/[0-9a-f-]{36}/)
    await question.waitFor({ state: 'hidden' })
    noErrors()
  })
})
