/** Recovery codes: given at set-up, shown once, renewed, and the way back into an account with one. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask } from '@sallyport/cli/admin-client.ts'
import { Authenticator } from '@sallyport/testkit/authenticator.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { createWorld, type World } from '@sallyport/testkit/world.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { inspect, newPerson, openBrowser } from './browser.ts'
import { plugInKey } from './visitor.ts'

const password = 'a key opens the gate'

describe.skipIf(whyNoProgram('chromium'))('recovery', () => {
  let world: World
  let browser: Browser
  beforeAll(async () => {
    world = await createWorld({ people: [], settings: { recoveryCodes: true } })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
  })

  const press = (page: Page, name: string | RegExp): Promise<void> => page.getByRole('button', { name, exact: true }).click()
  const servers = (page: Page): Promise<void> => page.getByRole('heading', { level: 1, name: /^Servers/ }).waitFor()
  async function storeCodes(page: Page, button: string): Promise<string[]> {
    const list = page.getByRole('list', { name: 'Recovery codes' })
    await list.waitFor()
    const codes = await list.getByRole('listitem').allInnerTexts()
    expect(codes).toHaveLength(3)
    await expect.poll(() => page.getByRole('button', { name: button }).isDisabled()).toBe(true)
    await page.getByRole('checkbox', { name: 'I stored these codes' }).check()
    await press(page, button)
    return codes
  }
  async function withKey(name: string) {
    const { link } = await ask(world.dataDir, adminCalls.addUser, { name, roles: ['access'], logins: [] })
    const person = await newPerson(browser)
    const { page } = person
    await plugInKey(page)
    await page.goto(`${link}/continue`)
    await page.getByLabel('New password').fill(password)
    await page.getByLabel('Confirm password').fill(password)
    await press(page, 'Next')
    await page.getByRole('radio', { name: 'Security key' }).check()
    await press(page, 'Create')
    await page.getByRole('heading', { name: 'Recovery codes' }).waitFor()
    return person
  }
  async function begin(page: Page, link: string, user: string, code: string): Promise<void> {
    // Away from the console, which would go to sign-in by itself when it meets the lack of its session.
    await page.goto(`${world.url}/web/app/favicon.ico`)
    await page.context().clearCookies()
    await page.evaluate(() => localStorage.clear())
    await page.goto(`${world.url}/web/login`)
    await page.getByRole('link', { name: link }).click()
    await page.getByLabel('Username').fill(user)
    await page.getByLabel('Recovery code').fill(code)
    await press(page, 'Continue')
  }

  test('R3-007: codes come with the account, are renewed in its settings, and a lost password is replaced with one', async () => {
    const { page, noErrors } = await withKey('gwen')
    await inspect(page, 'recovery-codes')
    const saved = page.waitForEvent('download')
    await press(page, 'Download')
    expect((await saved).suggestedFilename()).toBe(`recovery-codes-${world.cluster}.txt`)
    const [old = ''] = await storeCodes(page, 'Continue')
    await servers(page)

    await page.goto(`${world.url}/web/account`)
    await page.getByText(/^Created .* They open this account/).waitFor()
    await press(page, 'Generate new codes')
    await press(page, 'Verify')
    await page.getByRole('alertdialog', { name: 'New recovery codes' }).waitFor()
    await inspect(page, 'account-new-codes')
    const [fresh = ''] = await storeCodes(page, 'Done')

    await begin(page, 'Forgot password?', 'gwen', old)
    await page.getByText('The code was not accepted.').waitFor()
    await inspect(page, 'recover-code')
    await page.getByLabel('Recovery code').fill(fresh)
    await press(page, 'Continue')
    await page.getByRole('heading', { name: 'Verify it is you' }).waitFor()
    await press(page, 'Verify')
    await page.getByLabel('New password').fill('an entirely new one')
    await page.getByLabel('Confirm password').fill('an entirely new one')
    await press(page, 'Set password')
    await storeCodes(page, 'Continue')
    await page.getByRole('heading', { name: 'Your account is yours again' }).waitFor()
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByLabel('Username').fill('gwen')
    await page.getByLabel('Password', { exact: true }).fill('an entirely new one')
    await page.getByRole('radio', { name: 'Security key' }).check()
    await press(page, 'Sign in')
    await servers(page)
    noErrors()
    await page.context().close()
  })

  test('R3-007: a lost second factor is replaced, and the lost device removed', async () => {
    const { page, noErrors } = await withKey('hugo')
    const [code = ''] = await storeCodes(page, 'Continue')
    await servers(page)
    await begin(page, 'Lost second factor?', 'hugo', code)
    await page.getByRole('heading', { name: 'Verify it is you' }).waitFor()
    await page.getByLabel('Password', { exact: true }).fill(password)
    await press(page, 'Verify')
    await press(page, 'Authenticator app')
    await page.getByText('Scan this with your authenticator app').waitFor()
    await inspect(page, 'recover-app')
    await press(page, "Can't scan? Show the key")
    const authenticator = new Authenticator((await page.locator('pre').innerText()).trim())
    await page.getByLabel('One-time code').fill(await authenticator.code())
    await press(page, 'Add device')
    await storeCodes(page, 'Continue')
    await page.getByRole('heading', { name: 'Which devices are lost?' }).waitFor()
    await inspect(page, 'recover-devices')
    await expect.poll(() => page.getByRole('checkbox').count()).toBe(1)
    await page.getByRole('checkbox', { name: /^security-key/ }).check()
    await press(page, 'Remove lost devices')
    await page.getByRole('heading', { name: 'Your account is yours again' }).waitFor()
    noErrors()
    await page.context().close()
  })

  test('R3-007: where the cluster gives no codes there is no link and no section', async () => {
    await using other = await createWorld({ people: [] })
    const { page } = await newPerson(browser)
    await page.goto(`${other.url}/web/login`)
    await page.getByLabel('Username').waitFor()
    expect(await page.getByRole('link', { name: /Forgot password|Lost second factor/ }).count()).toBe(0)
    await page.goto(`${other.url}/web/recover/password`)
    await page.getByText('This cluster gives no recovery codes.').waitFor()
    await page.context().close()
  })
})
