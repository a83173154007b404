/** Signing in through a real OpenID Connect provider. */
import { userContext } from '@sallyport/wire/calls/clusters.ts'
import { userStatus } from '@sallyport/wire/calls/session.ts'
import { startOidcProvider } from '@sallyport/testkit/providers/oidc.ts'
import type { OidcTestProvider } from '@sallyport/testkit/providers/oidc.ts'
import { ProviderVisitor } from '@sallyport/testkit/providers/visitor.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { ApiBrowser, ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { pageBearer } from '@sallyport/testkit/proxy-people.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

const callback = 'http://localhost:3080/v1/webapi/oidc/callback'
let provider: OidcTestProvider
let api: ProxyApi

beforeAll(async () => {
  provider = await startOidcProvider({
    redirectUrls: [callback],
    accounts: {
      erin: { email: 'erin@example.com', email_verified: true, groups: ['engineers', 'team-web'] },
      mallory: { email: 'alice@example.com', email_verified: false, groups: ['engineers'] },
      frank: { email: 'frank@example.com', email_verified: true, groups: ['Engineers', 'nobody'] },
    },
  })
})
afterAll(() => provider[Symbol.asyncDispose]())
beforeEach(async () => {
  api = await openProxyApi()
  await api.context.connectors.oidc.create({
    metadata: { name: 'id' },
    spec: {
      issuer_url: provider.issuer,
      client_id: provider.clientId,
      client_secret: provider.clientSecret,
      redirect_url: callback,
      scope: ['email', 'groups'],
      claims_to_roles: [
        { claim: 'groups', value: 'engineers', roles: ['access'] },
        { claim: 'groups', value: '^team-(.*)$', roles: ['$1', 'auditor'] },
      ],
    },
  })
  return () => api[Symbol.asyncDispose]()
})

async function start(browser: ApiBrowser, redirect = 'http://localhost:3080/web/cluster/sallyport/nodes?search=a&b=c'): Promise<string> {
  const answer = await browser.send('GET', `/v1/webapi/oidc/login/web?connector_id=id&redirect_url=${redirect}`)
  expect(answer.status).toBe(302)
  return String(answer.headers['location'])
}
const pathOf = (address: string): string => new URL(address).pathname + new URL(address).search
const targetOf = (html: string): string => /content="0;URL='([^']*)'"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''

test('R8-041: a person of the provider is signed in and led back to the exact page', async () => {
  const browser = api.browser().trustPage()
  const back = await new ProviderVisitor().signIn(await start(browser), 'erin')
  const answer = await browser.send('GET', pathOf(back))
  expect(answer).toMatchObject({ status: 200 })
  expect(targetOf(answer.text)).toBe('/web/cluster/sallyport/nodes?search=a&b=c')
  expect(answer.setCookies).toEqual([expect.stringMatching(/^__Host-session=[0-9a-f]+; Path=\/; HttpOnly; Secure$/)])
  browser.bearer = await pageBearer(api, browser)
  expect(await browser.call(userContext, { params: { clusterId: 'sallyport' } })).toMatchObject({
    status: 200,
    body: { authType: 'sso', userName: 'erin@example.com' },
  })
  const user = await api.context.users.require('erin@example.com')
  expect(user.spec).toMatchObject({
    roles: ['access', 'auditor'],
    traits: { groups: ['engineers', 'team-web'], email: ['erin@example.com'] },
    created_by: { connector: { type: 'oidc', id: 'id', identity: `${provider.issuer} erin` } },
  })
  expect(await api.events('T1001I')).toMatchObject([
    { user: 'erin@example.com', method: 'oidc', success: true, attributes: { groups: ['engineers', 'team-web'] } },
  ])
  // The user is gone with the session, after thirty hours.
  api.clock.advance(30 * 3_600_000 + 1000)
  expect(await api.context.users.get('erin@example.com')).toBeUndefined()
  expect(await browser.call(userStatus)).toMatchObject({ status: 403 })
})

test('a lock on a person of the provider, or on a role that they would get, keeps them out; the log says why', async () => {
  for (const target of [{ user: 'erin@example.com' }, { role: 'access' }]) {
    const { metadata } = await api.context.locks.place({ target }, 'alice')
    const browser = api.browser().trustPage()
    const answer = await browser.send('GET', pathOf(await new ProviderVisitor().signIn(await start(browser), 'erin')))
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
