/** Invites with keys: password and security key, and a passkey alone; each then signs in. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask } from '@sallyport/cli/admin-client.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { createWorld, type World } from '@sallyport/testkit/world.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { newPerson, openBrowser } from './browser.ts'
import { plugInKey } from './visitor.ts'

describe.skipIf(whyNoProgram('chromium'))('invite', () => {
  let world: World
  let browser: Browser
  beforeAll(async () => {
    world = await createWorld({ people: [] })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
  })

  const addUser = async (name: string): Promise<string> =>
    (await ask(world.dataDir, adminCalls.addUser, { name, roles: ['access'], logins: [] })).link

  test('R2-049, R4-041: an invite with password and security key, then sign-in with both; the link works once', async () => {
    const link = await addUser('erin')
    const { page, noErrors } = await newPerson(browser)
    await plugInKey(page)
    await page.goto(link)
    await page.getByRole('link', { name: 'Get started' }).click()
    await page.getByLabel('New password').fill('too short')
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('Use at least 12 characters').waitFor()
    await page.getByLabel('New password').fill('erin has a key to it')
    await page.getByLabel('Confirm password').fill('erin has a key to it')
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByRole('radio', { name: 'Security key' }).check()
    const challenge = page.waitForRequest((request) => request.url().endsWith('/registerchallenge'))
    const completion = page.waitForRequest((request) => request.url().endsWith('/users/password/token') && request.method() === 'PUT')
    await page.getByRole('button', { name: 'Create' }).click()
    expect((await challenge).postDataJSON()).toMatchObject({ deviceUsage: 'mfa' })
    expect((await completion).postDataJSON()).toMatchObject({
      password: Buffer.from('erin has a key to it').toString('base64'),
      deviceName: 'security-key',
    })
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
    noErrors()
    await page.context().close()
  })

  test('R4-042: an invite with a passkey alone, then sign-in without a name', async () => {
    const link = await addUser('frank')
    const { page, noErrors } = await newPerson(browser)
    await plugInKey(page)
    await page.goto(`${link}/continue`)
    await page.getByRole('button', { name: 'Use a passkey instead' }).click()
    const challenge = page.waitForRequest((request) => request.url().endsWith('/registerchallenge'))
    const completion = page.waitForRequest((request) => request.url().endsWith('/users/password/token') && request.method() === 'PUT')
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
