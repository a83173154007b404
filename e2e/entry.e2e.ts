/** What the sign-in card shows is what the proxy's configuration says. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { createWorld, type World } from '@sallyport/testkit/world.ts'
import { inspect, newPerson, openBrowser } from './browser.ts'
import { reconfigure } from './visitor.ts'

const provider = (type: 'github' | 'oidc' | 'saml', name: string, displayName?: string) => ({
  name,
  type,
  url: `/v1/webapi/${type}/login/web?connector_id=:providerName&redirect_url=:redirect`,
  ...(displayName && { displayName }),
})

describe.skipIf(whyNoProgram('chromium'))('the sign-in card', () => {
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

  /** The sign-in page of a world with these settings, in a browser without any past. */
  async function visit(of: World, auth?: Record<string, unknown>): Promise<Page> {
    const { page } = await newPerson(browser)
    if (auth) await reconfigure(page, { auth })
    await page.goto(`${of.url}/web/login`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    return page
  }
  const heading = (page: Page): Promise<string> => page.getByRole('heading', { level: 1 }).innerText()
  const nameField = (page: Page): Promise<number> => page.getByLabel('Username').count()

  test('R3-015, R3-023: a message of the day is acknowledged before anything else; without local sign-in there is no password form', async () => {
    await using other = await createWorld({ people: [], settings: { localAuth: false, motd: 'Authorised use only.\n<b>Really.</b>' } })
    const page = await visit(other)
    await expect.poll(() => heading(page)).toBe(`Before you sign in to ${other.cluster}`)
    await page.getByText('Authorised use only. <b>Really.</b>').waitFor()
    await page.getByRole('button', { name: 'Acknowledge and continue' }).click()
    await page.getByRole('heading', { name: 'Sign-in is not set up' }).waitFor()
    await expect.poll(() => nameField(page)).toBe(0)
    await page.reload()
    await page.getByRole('heading', { name: 'Sign-in is not set up' }).waitFor()
    await page.context().close()

    const usual = await visit(world)
    await expect.poll(() => heading(usual)).toBe(`Sign in to ${world.cluster}`)
    await expect.poll(() => nameField(usual)).toBe(1)
    await usual.context().close()
  })

  test('the message of the day stands before passkeys and single sign-on as well, and names the cluster', async () => {
    for (const auth of [
      { motd: 'Authorised use only.', localAuthEnabled: false, providers: [provider('oidc', 'okta', 'Okta')] },
      { motd: 'Authorised use only.', localConnectorName: 'passwordless' },
    ]) {
      const page = await visit(world, auth)
      expect(
        await page
          .getByRole('button')
          .filter({ hasText: /Okta|passkey/ })
          .count(),
      ).toBe(0)
      await page.getByRole('button', { name: 'Acknowledge and continue' }).click()
      await page
        .getByRole('button')
        .filter({ hasText: /Okta|passkey/ })
        .first()
        .waitFor()
      await page.context().close()
    }
  })

  test('every way at once, as it looks', async () => {
    const providers = [
      provider('github', 'hub', 'GitHub'),
      provider('oidc', 'google', 'Google Workspace'),
      provider('saml', 'okta', 'Okta'),
      provider('saml', 'entra', 'Entra ID'),
      provider('oidc', 'keycloak', 'Keycloak of the subsidiary in South America'),
    ]
    const { page } = await newPerson(browser)
    await reconfigure(page, { recoveryCodesEnabled: true, auth: { providers } })
    await page.goto(`${world.url}/web/login`)
    await page.getByRole('link', { name: 'Forgot password?' }).waitFor()
    await inspect(page, 'login-every-way')
    const long = page.getByRole('button', { name: /subsidiary/ })
    expect(await long.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
    await page.context().close()
  })

  test('R3-022: an account whose role wants keys on hardware is sent to the command line', async () => {
    const page = await visit(world)
    await page.route('**/v1/webapi/mfa/login/begin', (route) =>
      route.fulfill({ status: 400, json: { error: { message: 'private key policy not met: hardware_key_touch' } } }),
    )
    await page.getByLabel('Username').fill('bob')
    await page.getByLabel('Password', { exact: true }).fill('secret')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Web sign-in is off for this cluster' }).waitFor()
    await page.context().close()
  })

  test('R3-021: the second factor to begin with is the one that the cluster prefers', async () => {
    const keys = await visit(world)
    await keys.getByRole('radio', { name: 'Security key', checked: true }).waitFor()
    await keys.context().close()
    const codes = await visit(world, { preferredLocalMfa: 'otp' })
    await codes.getByRole('radio', { name: 'Authenticator app', checked: true }).waitFor()
    await codes.getByLabel('One-time code').waitFor()
    await codes.context().close()
  })

  test('R3-016: passkeys are offered where they are allowed, and only there', async () => {
    const page = await visit(world)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
    await page.context().close()
    await using other = await createWorld({ people: [], settings: { secondFactor: 'otp' } })
    const without = await visit(other)
    await without.getByLabel('One-time code').waitFor()
    expect(await without.getByRole('button', { name: /passkey/ }).count()).toBe(0)
    await without.context().close()
  })

  test('R3-022: where keys must live on hardware the command line is named; without the field there is the form', async () => {
    const strict = await visit(world, { privateKeyPolicy: 'hardware_key' })
    await expect.poll(() => heading(strict)).toBe('Web sign-in is off for this cluster')
    await strict.getByText('Use the command-line client to sign in.').waitFor()
    await expect.poll(() => nameField(strict)).toBe(0)
    await strict.context().close()
    const free = await visit(world, { privateKeyPolicy: undefined })
    await expect.poll(() => nameField(free)).toBe(1)
    await free.context().close()
  })

  test('R3-018: one button for each provider, in their order, leading to its own kind of sign-in', async () => {
    const providers = [provider('saml', 'okta', 'Okta'), provider('github', 'hub'), provider('oidc', 'a b', 'Azure')]
    const page = await visit(world, { providers })
    await page.route(/\/login\/web\?/, (route) => route.fulfill({ contentType: 'text/html', body: '<h1>The provider</h1>' }))
    const buttons = page.getByRole('button', { name: /^Continue with / })
    await expect.poll(() => buttons.count()).toBe(3)
    for (const [index, name] of ['Okta', 'hub', 'Azure'].entries())
      await expect.poll(() => buttons.nth(index).innerText()).toMatch(new RegExp(`${name}$`))
    for (const [index, start] of [
      '/v1/webapi/saml/login/web?connector_id=okta',
      '/v1/webapi/github/login/web?connector_id=hub',
      '/v1/webapi/oidc/login/web?connector_id=a%20b',
    ].entries()) {
      const left = page.waitForRequest((request) => request.isNavigationRequest())
      await buttons.nth(index).click()
      expect((await left).url()).toBe(`${world.url}${start}&redirect_url=${encodeURIComponent(`${world.url}/web`)}`)
      // One navigation ends before the next one begins.
      await page.getByRole('heading', { name: 'The provider' }).waitFor()
      await page.goto(`${world.url}/web/login`)
      await buttons.nth(index).waitFor()
    }
    await page.context().close()
    const none = await visit(world)
    expect(await none.getByRole('button', { name: /^Continue with / }).count()).toBe(0)
    await none.context().close()
  })
})
