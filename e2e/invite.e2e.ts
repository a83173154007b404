/** Invites and resets with keys: password and security key, and a passkey alone; each then signs in. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask } from '@sallyport/cli/admin-client.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { createWorld, type World } from '@sallyport/testkit/world.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { createUserToken } from '@sallyport/wire/calls/users.ts'
import { newPerson, openBrowser } from './browser.ts'
import { clientOf, plugInKey } from './visitor.ts'

describe.skipIf(whyNoProgram('chromium'))('invite', () => {
  let world: World
  let browser: Browser
  beforeAll(async () => {
    world = await createWorld({ people: ['alice'] })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
  })

  const addUser = async (name: string): Promise<string> =>
    (await ask(world.dataDir, adminCalls.addUser, { name, roles: ['access'], logins: [] })).link

  /** The link with which somebody who is there begins anew. */
  async function reset(name: string): Promise<string> {
    const alice = await clientOf(world, 'alice')
    const { tokenId } = await alice.call(createUserToken, { body: { name, type: 'password' } })
    return `${world.url}/web/reset/${tokenId}`
  }

  const registers = (page: Page) => page.waitForRequest((request) => request.url().endsWith('/registerchallenge'))
  const completes = (page: Page) =>
    page.waitForRequest((request) => request.url().endsWith('/users/password/token') && request.method() === 'PUT')

  /** A password and a security key, as they go over the wire. */
  async function chooseAndCreate(page: Page, password: string): Promise<void> {
    await page.getByLabel('New password').fill(password)
    await page.getByLabel('Confirm password').fill(password)
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByRole('radio', { name: 'Security key' }).check()
    const [challenge, completion] = [registers(page), completes(page)]
    await page.getByRole('button', { name: 'Create' }).click()
    expect((await challenge).postDataJSON()).toMatchObject({ deviceUsage: 'mfa' })
    expect((await completion).postDataJSON()).toMatchObject({
      password: Buffer.from(password).toString('base64'),
      deviceName: 'security-key',
    })
  }

  test('R2-049: an invite and a reset ask for the same', async () => {
    const invite = await addUser('dora')
    await addUser('emil')
    const { page } = await newPerson(browser)
    const asked = async (link: string): Promise<string[]> => {
      await page.goto(`${link}/continue`)
      await page.getByLabel('New password').waitFor()
      return await page.locator('form').locator('label, button').allInnerTexts()
    }
    const ofInvite = await asked(invite)
    expect(ofInvite).toEqual(expect.arrayContaining(['Username', 'New password', 'Confirm password', 'Next', 'Use a passkey instead']))
    expect(await asked(await reset('emil'))).toEqual(ofInvite)
    await page.context().close()
  })

  test('R4-041: an invite with password and security key, then sign-in with both; the link works once, and a reset is the same', async () => {
    const link = await addUser('erin')
    const { page, noErrors } = await newPerson(browser)
    await plugInKey(page)
    await page.goto(link)
    await page.getByRole('link', { name: 'Get started' }).click()
    await page.getByLabel('New password').fill('too short')
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('Use at least 12 characters').waitFor()
    await chooseAndCreate(page, 'erin has a key to it')
    await page.getByRole('heading', { name: /^Servers/ }).waitFor()

    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByLabel('Username').fill('erin')
    await page.getByLabel('Password', { exact: true }).fill('erin has a key to it')
    await page.getByRole('radio', { name: 'Security key' }).check()
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: /^Servers/ }).waitFor()

    await page.goto(`${link}/continue`)
    await page.getByText('This link has expired or was already used.').waitFor()

    await page.goto(await reset('erin'))
    await expect.poll(() => page.title()).toBe('Password Reset')
    await page.getByRole('link', { name: 'Begin' }).click()
    await chooseAndCreate(page, 'erin has another key')
    await page.getByRole('heading', { name: /^Servers/ }).waitFor()
    noErrors()
    await page.context().close()
  })

  test('R4-042: a reset with a passkey alone, then sign-in without a name', async () => {
    await addUser('frank')
    const link = await reset('frank')
    const { page, noErrors } = await newPerson(browser)
    await plugInKey(page)
    await page.goto(`${link}/continue`)
    await page.getByRole('button', { name: 'Use a passkey instead' }).click()
    const [challenge, completion] = [registers(page), completes(page)]
    await page.getByRole('button', { name: 'Create passkey' }).click()
    expect((await challenge).postDataJSON()).toMatchObject({ deviceUsage: 'passwordless' })
    expect((await completion).postDataJSON()).toMatchObject({ password: null })
    await page.getByRole('heading', { name: /^Servers/ }).waitFor()
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('heading', { name: /^Servers/ }).waitFor()
    noErrors()
    await page.context().close()
  })
})
