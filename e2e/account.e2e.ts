/** What people do with their own account: devices added, renamed and removed, and what each of them needs. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask } from '@sallyport/cli/admin-client.ts'
import { Authenticator } from '@sallyport/testkit/authenticator.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { createWorld, type World } from '@sallyport/testkit/world.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { inspect, keepPicture, newPerson, openBrowser } from './browser.ts'
import { plugInKey } from './visitor.ts'

const password = 'a key opens the gate'

describe.skipIf(whyNoProgram('chromium'))('account', () => {
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

  const servers = (page: Page): Promise<void> => page.getByRole('heading', { level: 1, name: /^Servers/ }).waitFor()
  const press = (page: Page, name: string | RegExp): Promise<void> => page.getByRole('button', { name, exact: true }).click()
  const dialog = (page: Page) => page.getByRole('dialog').or(page.getByRole('alertdialog'))
  const row = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(name) })
  async function signOut(page: Page): Promise<void> {
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByLabel('Username').waitFor()
  }
  /** Somebody new, as far as the last step of the invite. */
  async function invited(of: World, name: string): Promise<Awaited<ReturnType<typeof newPerson>>> {
    const { link } = await ask(of.dataDir, adminCalls.addUser, { name, roles: ['access'], logins: [] })
    const person = await newPerson(browser)
    await plugInKey(person.page)
    await person.page.goto(`${link}/continue`)
    await person.page.getByLabel('New password').fill(password)
    await person.page.getByLabel('Confirm password').fill(password)
    return person
  }
  async function withKey(name: string): Promise<Awaited<ReturnType<typeof newPerson>>> {
    const person = await invited(world, name)
    await press(person.page, 'Next')
    await person.page.getByRole('radio', { name: 'Security key' }).check()
    await press(person.page, 'Create')
    await servers(person.page)
    await person.page.goto(`${world.url}/web/account/twofactor`)
    await row(person.page, 'security-key').waitFor()
    return person
  }
  const verify = async (page: Page): Promise<void> => dialog(page).getByRole('button', { name: 'Verify' }).click()

  test('an authenticator app is added with a key as proof, renamed, and removed; the last device stays', async () => {
    const { page, noErrors } = await withKey('gwen')
    await inspect(page, 'account')
    const holdings = page.getByRole('region', { name: 'Roles and traits' })
    await holdings.getByText('access', { exact: true }).waitFor()
    await holdings.scrollIntoViewIfNeeded()
    await keepPicture(page, 'account-roles')

    await press(page, 'Remove security-key')
    await verify(page)
    await press(page, 'Remove device')
    await page.getByText('cannot delete the last MFA device for this user; add a replacement device first').waitFor()
    await press(page, 'Cancel')

    await press(page, 'Add device')
    await inspect(page, 'account-prove')
    await verify(page)
    await dialog(page).getByRole('radio', { name: 'Authenticator app' }).check()
    await inspect(page, 'account-method')
    await press(page, 'Next')
    await press(page, "Can't scan? Show the key")
    await inspect(page, 'account-app')
    const authenticator = new Authenticator((await dialog(page).locator('pre').innerText()).trim())
    await page.getByLabel('One-time code').fill('000000')
    await press(page, 'Add device')
    await page.getByText('The device was not added.').waitFor()
    await page.getByLabel('Device name').fill('security-key')
    await press(page, 'Add device')
    await page.getByText('That name is taken').waitFor()
    await page.getByLabel('Device name').fill('phone')
    // The last thing, for a code does not count for long.
    await page.getByLabel('One-time code').fill(await authenticator.code())
    await press(page, 'Add device')
    await row(page, 'phone.*Authenticator App').waitFor()

    await press(page, 'Rename phone')
    await dialog(page).getByRole('radio', { name: 'Security key' }).check()
    await verify(page)
    await page.getByLabel('Device name').fill('phone of work')
    await press(page, 'Rename device')
    await row(page, 'phone of work').waitFor()

    await press(page, 'Remove phone of work')
    await dialog(page).getByRole('radio', { name: 'Security key' }).check()
    await verify(page)
    await inspect(page, 'account-remove')
    await press(page, 'Remove device')
    await dialog(page).waitFor({ state: 'detached' })
    await row(page, 'phone of work').waitFor({ state: 'detached' })
    noErrors()
    await page.context().close()
  })

  test('a passkey is added and named, and signs in with no name typed', async () => {
    const { page, noErrors } = await withKey('hugo')
    await press(page, 'Add a passkey')
    await verify(page)
    await press(page, 'Next')
    await inspect(page, 'account-name-key')
    await page.getByLabel('Device name').fill('laptop')
    await press(page, 'Add device')
    await row(page, 'laptop').getByText('signs in without a password').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Add a passkey' }).count()).toBe(0)
    await signOut(page)
    await press(page, 'Sign in with a passkey')
    await servers(page)
    noErrors()
    await page.context().close()
  })

  test('R8-017: a key that is registered already, and one that is not made, say so where a device is added', async () => {
    const { page } = await withKey('iris')
    await press(page, 'Add device')
    await verify(page)
    await dialog(page).getByRole('radio', { name: 'Security key' }).check()
    await press(page, 'Next')
    await page.getByText('this key is already registered, please use another one').waitFor()
    await page.evaluate(() => {
      navigator.credentials.create = () => Promise.resolve(null)
    })
    await press(page, 'Next')
    await page.getByText('error creating credential, please try again', { exact: true }).waitFor()
    await page.context().close()
  })

  test('where a second factor is optional the first device needs no proof', async () => {
    await using other = await createWorld({ people: [], settings: { secondFactor: 'optional' } })
    const { page, noErrors } = await invited(other, 'jack')
    await press(page, 'Next')
    await page.getByRole('radio', { name: 'None' }).check()
    await press(page, 'Finish')
    await servers(page)
    await signOut(page)
    await page.getByLabel('Username').fill('jack')
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('radio', { name: 'None' }).check()
    await press(page, 'Sign in')
    await servers(page)
    await page.goto(`${other.url}/web/account/twofactor`)
    await page.getByText('Add a passkey, security key or authenticator app.').waitFor()
    await inspect(page, 'account-empty')
    await press(page, 'Add device')
    await dialog(page).getByRole('radio', { name: 'Security key' }).check()
    await press(page, 'Next')
    await page.getByLabel('Device name').fill('first')
    await press(page, 'Add device')
    await row(page, 'first').waitFor()
    noErrors()
    await page.context().close()
  })

  test('R1-025: where second factors are off a password alone signs in, and no device can be added', async () => {
    await using other = await createWorld({ people: [], settings: { secondFactor: 'off' } })
    const { page, noErrors } = await invited(other, 'kate')
    await press(page, 'Set password')
    await servers(page)
    await signOut(page)
    await page.getByLabel('Username').fill('kate')
    await page.getByLabel('Password', { exact: true }).fill(password)
    await press(page, 'Sign in')
    await servers(page)
    await page.goto(`${other.url}/web/account/twofactor`)
    const add = page.getByRole('button', { name: 'Add device' })
    await expect.poll(() => add.getAttribute('aria-disabled')).toBe('true')
    await add.focus()
    await page.getByText('Second factor is off on this cluster').first().waitFor()
    noErrors()
    await page.context().close()
  })
})
