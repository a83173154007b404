/** Single sign-on in a real browser, through real providers: there, back to the exact page, out again, and every way it can fail. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGithubProvider } from '@sallyport/testkit/providers/github.ts'
import { startOidcProvider } from '@sallyport/testkit/providers/oidc.ts'
import { startSamlProvider } from '@sallyport/testkit/providers/saml.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { createWorld, type World } from '@sallyport/testkit/world.ts'
import { createGithub, createOidc, createSaml, setDefault } from '@sallyport/wire/calls/connectors.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { inspect, newPerson, openBrowser } from './browser.ts'
import { clientOf } from './visitor.ts'

const documentOf = (kind: string, version: string, name: string, spec: object): { content: string } => ({
  content: JSON.stringify({ kind, version, metadata: { name }, spec }),
})

/** A cluster that people come to through three providers, of which alice has told it. */
async function startCluster(opened: AsyncDisposableStack): Promise<World> {
  const world = opened.use(await createWorld({ people: ['alice'] }))
  const back = (path: string): string => `${world.url}/v1/webapi/${path}`
  const oidc = opened.use(
    await startOidcProvider({
      redirectUrls: [back('oidc/callback')],
      accounts: {
        erin: { email: 'erin@example.com', email_verified: true, groups: ['engineers'], name: '<img src=x onerror=alert(1)>' },
        guest: { email: 'guest@example.com', email_verified: true, groups: ['guests'] },
      },
    }),
  )
  const saml = opened.use(await startSamlProvider({ frank: { nameId: 'frank@example.com', attributes: { groups: ['engineers'] } } }))
  const github = opened.use(await startGithubProvider({ octocat: { id: 1, teams: ['octo/platform'] } }))
  const alice = await clientOf(world, 'alice')
  await alice.call(createOidc, {
    body: documentOf('oidc', 'v3', 'work', {
      display: 'Work account',
      issuer_url: oidc.issuer,
      client_id: oidc.clientId,
      client_secret: oidc.clientSecret,
      redirect_url: [back('oidc/callback')],
      scope: ['email', 'groups', 'profile'],
      claims_to_roles: [{ claim: 'groups', value: 'engineers', roles: ['access'] }],
    }),
  })
  await alice.call(createSaml, {
    body: documentOf('saml', 'v2', 'corp', {
      acs: back('saml/acs/corp'),
      entity_descriptor_url: `${saml.origin}/metadata`,
      attributes_to_roles: [{ name: 'groups', value: 'engineers', roles: ['access'] }],
    }),
  })
  await alice.call(createGithub, {
    body: documentOf('github', 'v3', 'gh', {
      display: 'GitHub',
      client_id: github.clientId,
      client_secret: github.clientSecret,
      redirect_url: back('github/callback'),
      endpoint_url: github.origin,
      api_endpoint_url: github.api,
      teams_to_roles: [{ organization: 'octo', team: 'platform', roles: ['access'] }],
    }),
  })
  return world
}

const providerButtons = (page: Page) => page.getByRole('button', { name: /^Continue with / })
async function leaveFor(page: Page, provider: string): Promise<void> {
  await page.getByRole('button', { name: `Continue with ${provider}` }).click()
  await page.getByRole('heading', { name: 'Who are you?' }).waitFor()
}
async function signOut(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: new RegExp(name) }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: /^Sign in to / }).waitFor()
}
/** Code and person of every sign-in, as the audit log has them. */
async function signInsOf(world: World): Promise<string[]> {
  const alice = await clientOf(world, 'alice')
  const { events } = await alice.call(searchEvents, { params: { clusterId: world.cluster }, query: { include: 'user.login' } })
  return events.map(({ code, user }) => `${code} ${user ?? ''}`)
}

describe.skipIf(whyNoProgram('chromium'))('single sign-on', () => {
  let world: World
  let browser: Browser
  const opened = new AsyncDisposableStack()
  beforeAll(async () => {
    world = await startCluster(opened)
    browser = await openBrowser()
    opened.defer(() => browser.close())
  })
  afterAll(() => opened.disposeAsync())

  const at = (path: string): string => world.url + path

  test('R3-018: one button for each provider, in the order of the proxy', async () => {
    const { page, noErrors } = await newPerson(browser)
    await page.goto(at('/web/login'))
    await page.getByRole('heading', { name: /^Sign in to / }).waitFor()
    await providerButtons(page).first().waitFor()
    await expect
      .poll(() => providerButtons(page).allInnerTexts())
      .toEqual([expect.stringMatching(/Work account$/), expect.stringMatching(/corp$/), expect.stringMatching(/GitHub$/)])
    await inspect(page, 'login-providers')
    noErrors()
    await page.context().close()
  })

  test.each([
    ['R1-024, R2-058', 'Work account', 'erin', 'erin@example.com'],
    ['R2-059', 'corp', 'frank', 'frank@example.com'],
    ['R2-060', 'GitHub', 'octocat', 'octocat'],
  ])('%s: through %s, back to the exact page, and out again', async (_, provider, account, username) => {
    const { page, noErrors } = await newPerson(browser)
    const wanted = `/web/cluster/${world.cluster}/nodes?search=open`
    await page.goto(at(wanted))
    await leaveFor(page, provider)
    expect(new URL(page.url()).origin).not.toBe(world.url)
    await page.getByRole('button', { name: account }).click()
    await page.getByRole('heading', { level: 1, name: /^Servers/ }).waitFor()
    await expect.poll(() => page.url()).toBe(at(wanted))
    await signOut(page, username)
    await page.goto(at(wanted))
    await page.getByRole('heading', { name: /^Sign in to / }).waitFor()
    noErrors()
    await page.context().close()
  })

  test('R8-041: the audit log tells who came through which provider', async () => {
    await expect
      .poll(() => signInsOf(world))
      .toEqual(expect.arrayContaining(['erin@example.com', 'frank@example.com', 'octocat'].map((name) => `T1001I ${name}`)))
  })
})

// A cluster of its own: whoever is not signed in may load only so many pages from one address.
describe.skipIf(whyNoProgram('chromium'))('single sign-on that ends at the door', () => {
  let world: World
  let browser: Browser
  const opened = new AsyncDisposableStack()
  beforeAll(async () => {
    world = await startCluster(opened)
    browser = await openBrowser()
    opened.defer(() => browser.close())
  })
  afterAll(() => opened.disposeAsync())

  const at = (path: string): string => world.url + path

  test.each([
    ['R2-043: who says no', 'Refuse', '/web/msg/error/login/callback', "The identity provider's answer could not be used."],
    ['R2-044: who has no role', 'guest', '/web/msg/error/login/auth', 'You signed in, but no role here matches your account.'],
  ])('%s reads why, and can try again', async (_, choice, path, text) => {
    const { page, noErrors } = await newPerson(browser)
    await page.goto(at('/web/login'))
    await leaveFor(page, 'Work account')
    await page.getByRole('button', { name: choice }).click()
    await page.getByRole('heading', { level: 1, name: 'Login Unsuccessful' }).waitFor()
    await page.getByText(text).waitFor()
    await expect.poll(() => new URL(page.url()).pathname).toBe(path)
    expect((await page.context().cookies()).map(({ name }) => name)).not.toContain('__Host-session')
    await page.getByRole('link', { name: 'Please attempt to log in again.' }).click()
    await page.getByRole('heading', { name: /^Sign in to / }).waitFor()
    noErrors()
    await page.context().close()
  })

  test('a way back that was used, and one that another browser began, end at the error pages', async () => {
    const { page } = await newPerson(browser)
    const returns: string[] = []
    page.on('request', (request) => void (request.url().includes('/oidc/callback') && returns.push(request.url())))
    await page.goto(at('/web/login'))
    await leaveFor(page, 'Work account')
    const other = await newPerson(browser)
    await other.page.goto(at('/web/login'))
    await page.getByRole('button', { name: 'guest' }).click()
    await page.getByRole('heading', { level: 1, name: 'Login Unsuccessful' }).waitFor()
    await other.page.goto(returns[0] ?? '')
    await other.page.getByText("The identity provider's answer could not be used.").waitFor()
    await page.goto(at('/v1/webapi/oidc/login/web?connector_id=nobody&redirect_url=/web'))
    await page.getByText('The sign-in did not complete.').waitFor()
    expect(new URL(page.url()).pathname).toBe('/web/msg/error/login')
    await other.page.context().close()
    await page.context().close()
  })

  test('R8-042: the audit log tells who did not come in', async () => {
    await expect.poll(() => signInsOf(world)).toContain('T1001W guest@example.com')
  })

  test('R4-003: when a provider is the default, its buttons come first', async () => {
    const alice = await clientOf(world, 'alice')
    await alice.call(setDefault, { body: { type: 'github', name: 'gh' } })
    const { page } = await newPerson(browser)
    await page.goto(at('/web/login'))
    await page.getByRole('button', { name: 'Sign in with a password' }).waitFor()
    await expect
      .poll(() => providerButtons(page).allInnerTexts())
      .toEqual([expect.stringMatching(/GitHub$/), expect.stringMatching(/Work account$/), expect.stringMatching(/corp$/)])
    await alice.call(setDefault, { body: { type: 'local', name: '' } })
    await page.context().close()
  })
})
