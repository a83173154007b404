/** Keys and passkeys in a browser that has them, has none, or fails to use them. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask } from '@sallyport/cli/admin-client.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { createWorld, type World } from '@sallyport/testkit/world.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { newPerson, openBrowser } from './browser.ts'
import { plugInKey } from './visitor.ts'

const unsupported =
  'this browser does not support Webauthn required for hardware tokens, please try the latest version of Chrome, Firefox or Safari'
const notCreated = 'error creating credential, please try again'
const notObtained = 'error obtaining credential, please try again'
const password = 'a key opens the gate'

const servers = (page: Page): Promise<void> => page.getByRole('heading', { level: 1, name: /^Servers/ }).waitFor()

/** The step of an invite that makes a security key. */
async function enrol(page: Page, link: string): Promise<void> {
  await page.goto(`${link}/continue`)
  await page.getByLabel('New password').fill(password)
  await page.getByLabel('Confirm password').fill(password)
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByRole('radio', { name: 'Security key' }).check()
  await page.getByRole('button', { name: 'Create' }).click()
}

let browser: Browser
let world: World

/** For every group a world of its own: whoever sets up an account takes about nine of the forty calls that an address has. */
function useWorld(): void {
  beforeAll(async () => {
    world = await createWorld({ people: [] })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
  })
}
const addUser = async (name: string): Promise<string> =>
  (await ask(world.dataDir, adminCalls.addUser, { name, roles: ['access'], logins: [] })).link

describe.skipIf(whyNoProgram('chromium'))('keys that answer', () => {
  useWorld()

  async function signOut(page: Page): Promise<void> {
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByLabel('Username').waitFor()
  }
  /** Requests of a sign-in with a key, in order. */
  function watchSignIn(page: Page): { path: string; body: Record<string, unknown> }[] {
    const seen: { path: string; body: Record<string, unknown> }[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/v1/webapi/mfa/login/'))
        seen.push({ path: pathname, body: request.postDataJSON() as Record<string, unknown> })
    })
    return seen
  }

  test('R1-022: a security key is the second factor of a sign-in', async () => {
    const { page, noErrors } = await newPerson(browser)
    await plugInKey(page)
    await enrol(page, await addUser('gwen'))
    await servers(page)
    await signOut(page)
    const seen = watchSignIn(page)
    await page.getByLabel('Username').fill('gwen')
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('radio', { name: 'Security key' }).check()
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await servers(page)
    expect(seen).toMatchObject([
      { path: '/v1/webapi/mfa/login/begin', body: { user: 'gwen', pass: password } },
      { path: '/v1/webapi/mfa/login/finishsession', body: { user: 'gwen', webauthnAssertionResponse: { type: 'public-key' } } },
    ])
    noErrors()
    await page.context().close()
  })

  test('R1-023: a passkey signs in with no name typed', async () => {
    const { page, noErrors } = await newPerson(browser)
    await plugInKey(page)
    await page.goto(`${await addUser('hugo')}/continue`)
    await page.getByRole('button', { name: 'Use a passkey instead' }).click()
    await page.getByRole('button', { name: 'Create passkey' }).click()
    await servers(page)
    await signOut(page)
    const seen = watchSignIn(page)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await servers(page)
    expect(seen).toMatchObject([
      { path: '/v1/webapi/mfa/login/begin', body: { passwordless: true } },
      { path: '/v1/webapi/mfa/login/finishsession' },
    ])
    expect(seen.some(({ body }) => 'user' in body && body['user'] !== '')).toBe(false)
    await page.getByRole('button', { name: /^Account.*hugo/ }).waitFor()
    noErrors()
    await page.context().close()
  })

  test('a passkey is offered below the field for the name, and signs in when it is chosen', async () => {
    const { page, noErrors } = await newPerson(browser)
    await plugInKey(page)
    await page.goto(`${await addUser('lena')}/continue`)
    await page.getByRole('button', { name: 'Use a passkey instead' }).click()
    await page.getByRole('button', { name: 'Create passkey' }).click()
    await servers(page)
    // Stands for the browser's own list: what it offers waits until somebody chooses.
    await page.addInitScript(() => {
      window.PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(true)
      const get = navigator.credentials.get.bind(navigator.credentials)
      navigator.credentials.get = (options) => {
        if (options?.mediation !== 'conditional') return get(options)
        return new Promise((resolve, reject) => {
          options.signal?.addEventListener('abort', () => reject(new DOMException('stopped', 'AbortError')))
          const { publicKey } = options
          document.addEventListener('choose-passkey', () => publicKey && resolve(get({ publicKey })), { once: true })
          document.documentElement.dataset['offered'] = 'yes'
        })
      }
    })
    await signOut(page)
    await page.getByLabel('Username').hover()
    await page.locator('html[data-offered]').waitFor({ state: 'attached' })
    await page.evaluate(() => document.dispatchEvent(new Event('choose-passkey')))
    await servers(page)
    noErrors()
    await page.context().close()
  })
})

describe.skipIf(whyNoProgram('chromium'))('keys that do not', () => {
  useWorld()

  test('R5-001: a browser without hardware keys says so at sign-in and at enrolment', async () => {
    const { page } = await newPerson(browser)
    await page.addInitScript(() => Reflect.deleteProperty(window, 'PublicKeyCredential'))
    await page.goto(`${world.url}/web/login`)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText(unsupported, { exact: true }).waitFor()
    await enrol(page, await addUser('iris'))
    await page.getByText(unsupported, { exact: true }).waitFor()
    await page.context().close()
  })

  test('R5-002: a key that is not made says so, and the next try may succeed', async () => {
    const { page } = await newPerson(browser)
    await plugInKey(page)
    await page.addInitScript(() => {
      const create = navigator.credentials.create.bind(navigator.credentials)
      let tries = 0
      navigator.credentials.create = (options) => (tries++ === 0 ? Promise.resolve(null) : create(options))
    })
    await enrol(page, await addUser('jack'))
    await page.getByText(notCreated, { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Create' }).click()
    await servers(page)
    await page.context().close()
  })

  test('R5-003: a key that does not answer says so, at sign-in and where a password is changed', async () => {
    const noAnswer = (): void => {
      navigator.credentials.get = () => Promise.resolve(null)
    }
    const { page } = await newPerson(browser)
    await page.addInitScript(noAnswer)
    await page.goto(`${world.url}/web/login`)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText(notObtained, { exact: true }).waitFor()
    await page.context().close()

    const { page: own } = await newPerson(browser)
    await plugInKey(own)
    await enrol(own, await addUser('kate'))
    await servers(own)
    await own.addInitScript(noAnswer)
    await own.goto(`${world.url}/web/account/password`)
    await own.getByLabel('Current password').fill(password)
    await own.getByLabel('New password').fill(`${password} twice`)
    await own.getByLabel('Confirm password').fill(`${password} twice`)
    await own.getByRole('button', { name: 'Change password' }).click()
    await own.getByText(notObtained, { exact: true }).waitFor()
    await own.context().close()
  })
})
