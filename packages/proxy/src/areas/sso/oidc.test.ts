/** Signing in through a real OpenID Connect provider. */
import { userContext } from '@sallyport/wire/calls/clusters.ts'
import { changePassword, createUserToken } from '@sallyport/wire/calls/users.ts'
import { userStatus } from '@sallyport/wire/calls/session.ts'
import { startOidcProvider } from '@sallyport/testkit/providers/oidc.ts'
import type { OidcTestProvider } from '@sallyport/testkit/providers/oidc.ts'
import { addressOf, comeBack, startSso, targetOf } from '@sallyport/testkit/providers/sso-flow.ts'
import { ProviderVisitor } from '@sallyport/testkit/providers/visitor.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { Answer, ApiBrowser, ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { base64, pageBearer, signedIn } from '@sallyport/testkit/proxy-people.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

const callback = 'http://localhost:3080/v1/webapi/oidc/callback'
const accounts = {
  erin: { email: 'erin@example.com', email_verified: true, groups: ['engineers', 'team-auditor'], name: '<script>alert(1)</script>' },
  twin: { email: 'erin@example.com', email_verified: true, groups: ['engineers'] },
  local: { email: 'alice', email_verified: true, groups: ['engineers'] },
  unverified: { email: 'mallory@example.com', email_verified: false, groups: ['engineers'] },
  silent: { email: 'silent@example.com', groups: ['engineers'] },
  shouting: { email: 'frank@example.com', email_verified: true, groups: ['Engineers', 'team-nothing'] },
  nameless: { groups: ['engineers'] },
  hostile: { email: '../../<b>', email_verified: true, groups: ['engineers'] },
}
const redirect = 'http://localhost:3080/web/cluster/sallyport/nodes?search=a&b=c'
let provider: OidcTestProvider
let api: ProxyApi
const documentOf = (spec: object = {}) => ({
  metadata: { name: 'id' },
  spec: {
    issuer_url: provider.issuer,
    client_id: provider.clientId,
    client_secret: provider.clientSecret,
    redirect_url: callback,
    scope: ['email', 'groups', 'profile'],
    claims_to_roles: [
      { claim: 'groups', value: 'engineers', roles: ['access'] },
      { claim: 'groups', value: '^team-(.*)$', roles: ['$1'] },
    ],
    ...spec,
  },
})

beforeAll(async () => {
  provider = await startOidcProvider({ redirectUrls: [callback], accounts })
})
afterAll(() => provider[Symbol.asyncDispose]())
beforeEach(async () => {
  api = await openProxyApi()
  await api.context.connectors.oidc.create(documentOf())
  return () => api[Symbol.asyncDispose]()
})

async function signIn(browser: ApiBrowser, account: keyof typeof accounts | ''): Promise<Answer> {
  const start = await startSso(browser, { type: 'oidc', connector: 'id', redirect })
  expect(start.status).toBe(302)
  return comeBack(browser, await new ProviderVisitor().signIn(addressOf(start), account))
}

test('R8-041: a person of the provider is signed in, led back to the exact page, and gone with the session', async () => {
  const browser = api.browser().trustPage()
  const answer = await signIn(browser, 'erin')
  expect(answer).toMatchObject({ status: 200 })
  expect(targetOf(answer)).toBe('/web/cluster/sallyport/nodes?search=a&b=c')
  expect(answer.headers['content-security-policy']).toContain("script-src 'none'")
  expect(answer.setCookies).toEqual([expect.stringMatching(/^__Host-session=[0-9a-f]+; Path=\/; HttpOnly; Secure$/)])
  browser.bearer = await pageBearer(api, browser)
  expect(await browser.call(userContext, { params: { clusterId: 'sallyport' } })).toMatchObject({
    status: 200,
    body: { authType: 'sso', userName: 'erin@example.com' },
  })
  expect((await api.context.users.require('erin@example.com')).spec).toMatchObject({
    roles: ['access', 'auditor'],
    traits: { groups: ['engineers', 'team-auditor'], email: ['erin@example.com'], name: ['<script>alert(1)</script>'] },
    created_by: { connector: { type: 'oidc', id: 'id', identity: `${provider.issuer} erin` } },
  })
  expect(await api.events('T1001I')).toMatchObject([
    { user: 'erin@example.com', method: 'oidc', success: true, attributes: { groups: ['engineers', 'team-auditor'] } },
  ])
  expect(await api.events('T1002I')).toMatchObject([{ name: 'erin@example.com', connector: 'id', roles: ['access', 'auditor'] }])
  api.clock.advance(30 * 3_600_000 + 1000)
  expect(await api.context.users.get('erin@example.com')).toBeUndefined()
  expect(await browser.call(userStatus)).toMatchObject({ status: 403, message: 'need auth' })
})

test('people of a provider have no password here, and nobody can make them one', async () => {
  const browser = api.browser().trustPage()
  await signIn(browser, 'erin')
  browser.bearer = await pageBearer(api, browser)
  const change = { old_password: base64(''), new_password: base64('a new password for erin') }
  expect(await browser.call(changePassword, { body: change })).toMatchObject({ status: 403 })
  const alice = await signedIn(api, 'alice')
  expect(await alice.call(createUserToken, { body: { name: 'erin@example.com', type: 'password' } })).toMatchObject({ status: 400 })
})

test('a second sign-in replaces what the provider said before', async () => {
  await signIn(api.browser().trustPage(), 'erin')
  const { oidc } = api.context.connectors
  await oidc.update(documentOf({ client_secret: '********', claims_to_roles: [{ claim: 'groups', value: '*', roles: ['auditor'] }] }))
  await signIn(api.browser().trustPage(), 'erin')
  expect((await api.context.users.require('erin@example.com')).spec.roles).toEqual(['auditor'])
  expect(await api.events('T1003I')).toMatchObject([{ name: 'erin@example.com', roles: ['auditor'] }])
})

test('a role with a shorter life shortens session and user', async () => {
  const access = await api.context.roles.require('access')
  await api.context.roles.update({ ...access, spec: { ...access.spec, options: { ...access.spec.options, max_session_ttl: '1h' } } })
  await signIn(api.browser().trustPage(), 'erin')
  const { expires } = (await api.context.users.require('erin@example.com')).metadata
  expect(Date.parse(expires ?? '') - api.clock.now()).toBeLessThanOrEqual(3_600_000)
})

test.each([
  ['the person says no', '', 'callback', /access_denied: the person said no/],
  ['R2-044: no role is mapped, the case of the group being another', 'shouting', 'auth', /no role is mapped to frank@example.com.*differ/],
  ['the address is not verified', 'unverified', 'callback', /does not vouch/],
  ['the provider does not say whether it is verified', 'silent', 'callback', /does not vouch/],
  ['there is no name', 'nameless', 'callback', /did not send the claim "email"/],
  ['the name is none that a user can have', 'hostile', 'callback', /may hold letters/],
  ['a local user has the name', 'local', 'callback', /a local user "alice" already exists/],
] as const)('R8-042: %s: no session, the right page, an event', async (_, account, page, reason) => {
  await api.invite('alice')
  const browser = api.browser().trustPage()
  const answer = await signIn(browser, account)
  expect(targetOf(answer)).toBe(`/web/msg/error/login/${page}`)
  expect(answer.setCookies).toEqual([])
  expect(await api.events('T1001I')).toEqual([])
  expect(await api.events('T1001W')).toMatchObject([{ method: 'oidc', success: false, error: expect.stringMatching(reason) }])
})

test('another account under the name of somebody who is signed in gets nothing', async () => {
  await signIn(api.browser().trustPage(), 'erin')
  const answer = await signIn(api.browser().trustPage(), 'twin')
  expect(targetOf(answer)).toBe('/web/msg/error/login/callback')
  expect(await api.events('T1001W')).toMatchObject([{ error: expect.stringContaining('in use by another account') }])
})

test('a lock on a person of the provider, or on a role that they would get, keeps them out; the log says why', async () => {
  for (const target of [{ user: 'erin@example.com' }, { role: 'access' }]) {
    const { metadata } = await api.context.locks.place({ target }, 'alice')
    const answer = await signIn(api.browser().trustPage(), 'erin')
    expect(answer.setCookies).toEqual([])
    expect((await api.events('T1001W')).at(-1)).toMatchObject({
      user: 'erin@example.com',
      success: false,
      error: expect.stringMatching(/^lock targeting (User|Role):"[^"]+" is in force$/),
    })
    await api.context.locks.lift(metadata.name, 'alice')
  }
  expect(await api.events('T1001I')).toEqual([])
})

test('a locked person is not signed in, and no user is made', async () => {
  await api.context.locks.place({ target: { user: 'erin@example.com' }, message: 'away' }, 'test')
  const answer = await signIn(api.browser().trustPage(), 'erin')
  expect(targetOf(answer)).toBe('/web/msg/error/login/auth')
  expect(answer.setCookies).toEqual([])
  expect(await api.context.users.get('erin@example.com')).toBeUndefined()
  expect(await api.events('T1001W')).toMatchObject([{ user: 'erin@example.com', error: expect.stringContaining('away') }])
})

test('where keys must live on hardware, a provider gives no session on the web either', async () => {
  await api.context.settings.documents.write('cluster_auth_preference', { require_session_mfa: 'hardware_key' }, '')
  const answer = await signIn(api.browser().trustPage(), 'erin')
  expect([targetOf(answer), answer.setCookies]).toEqual(['/web/msg/error/login/auth', []])
  expect(await api.events('T1001W')).toMatchObject([{ error: 'private key policy not met: hardware_key' }])
})
