/** A test sign-in: what would come of a document that is not saved. */
import { beginTest, readTest } from '@sallyport/wire/calls/connectors.ts'
import { startOidcProvider } from '@sallyport/testkit/providers/oidc.ts'
import type { OidcTestProvider } from '@sallyport/testkit/providers/oidc.ts'
import { comeBack } from '@sallyport/testkit/providers/sso-flow.ts'
import { ProviderVisitor } from '@sallyport/testkit/providers/visitor.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { ApiBrowser, ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { signedIn } from '@sallyport/testkit/proxy-people.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { stringify } from 'yaml'

const callback = 'http://localhost:3080/v1/webapi/oidc/callback'
let provider: OidcTestProvider
let api: ProxyApi
let alice: ApiBrowser
beforeAll(async () => {
  provider = await startOidcProvider({
    redirectUrls: [callback],
    accounts: {
      erin: { email: 'erin@example.com', email_verified: true, groups: ['engineers'] },
      guest: { email: 'guest@example.com', email_verified: true, groups: ['guests'] },
    },
  })
})
afterAll(() => provider[Symbol.asyncDispose]())
beforeEach(async () => {
  api = await openProxyApi()
  alice = await signedIn(api, 'alice')
  return () => api[Symbol.asyncDispose]()
})

const contentOf = (spec: object = {}): string =>
  stringify({
    kind: 'oidc',
    version: 'v3',
    metadata: { name: 'draft' },
    spec: {
      issuer_url: provider.issuer,
      client_id: provider.clientId,
      client_secret: provider.clientSecret,
      redirect_url: callback,
      scope: ['email', 'groups'],
      claims_to_roles: [{ claim: 'groups', value: 'eng*', roles: ['access', 'ghost'] }],
      ...spec,
    },
  })
async function begin(content = contentOf()): Promise<{ id: string; redirect_url: string }> {
  const begun = await alice.call(beginTest, { body: { content } })
  expect(begun).toMatchObject({ status: 200 })
  return beginTest.out.parse(begun.body)
}
const read = async (id: string, browser = alice) => (await browser.call(readTest, { params: { id } })).body

test('shows claims, matched mappings and roles; nothing is saved and nobody is signed in', async () => {
  const { id, redirect_url } = await begin()
  expect(await read(id)).toMatchObject({ state: 'pending', user: '' })
  const answer = await comeBack(alice, await new ProviderVisitor().signIn(redirect_url, 'erin'))
  expect(answer).toMatchObject({ status: 200, setCookies: [], text: expect.stringContaining('Nobody was signed in') })
  expect(await read(id)).toMatchObject({
    state: 'success',
    user: 'erin@example.com',
    claims: { groups: ['engineers'], email_verified: ['true'] },
    mappings: [{ claim: 'groups', value: 'eng*', roles: ['access', 'ghost'] }],
    roles: ['access'],
    error: '',
  })
  expect(await api.events('T1010I')).toMatchObject([
    { user: 'erin@example.com', success: true, attributes: { groups: ['engineers'] }, 'addr.remote': expect.stringContaining(':') },
  ])
  expect(await api.events('T1001I')).toEqual([])
  expect(await api.context.connectors.oidc.list()).toEqual([])
  expect(await api.context.users.get('erin@example.com')).toBeUndefined()
  const rows = await api.context.db.selectFrom('connector_tests').selectAll().execute()
  expect(JSON.stringify(rows)).not.toContain('erin')
})

test('a refusal and a person without a role are results too, with what is known by then', async () => {
  const refused = await begin()
  await comeBack(alice, await new ProviderVisitor().signIn(refused.redirect_url, ''))
  expect(await read(refused.id)).toMatchObject({ state: 'failed', error: expect.stringContaining('access_denied') })
  const guest = await begin()
  await comeBack(alice, await new ProviderVisitor().signIn(guest.redirect_url, 'guest'))
  expect(await read(guest.id)).toMatchObject({
    state: 'failed',
    user: 'guest@example.com',
    claims: { groups: ['guests'] },
    roles: [],
    error: 'no role is mapped to guest@example.com',
  })
  expect(await api.events('T1011W')).toHaveLength(2)
})

test('only who began it reads it, and only the browser that began it completes it', async () => {
  const { id, redirect_url } = await begin()
  const back = await new ProviderVisitor().signIn(redirect_url, 'erin')
  const victim = api.browser()
  victim.cookies.set('__Host-grv_csrf', 'cd'.repeat(32))
  await comeBack(victim, back)
  expect(await read(id)).toMatchObject({ state: 'pending' })
  await comeBack(alice, back)
  expect(await read(id)).toMatchObject({ state: 'pending' })
  await api.invite('bob')
  const carol = await signedIn(api, 'carol')
  const user = await api.context.users.require('carol')
  await api.context.users.update({ ...user, spec: { ...user.spec, roles: ['editor'] } })
  expect(await carol.call(readTest, { params: { id } })).toMatchObject({ status: 404 })
})

test('it expires after ten minutes', async () => {
  const { id, redirect_url } = await begin()
  const back = await new ProviderVisitor().signIn(redirect_url, 'erin')
  api.clock.advance(9 * 60_000)
  await alice.send('GET', '/web') // the page goes on
  api.clock.advance(61_000)
  await comeBack(alice, back)
  expect(await api.context.db.selectFrom('connector_tests').select('sealed').executeTakeFirst()).toEqual({ sealed: null })
  expect(await api.events('T1001W')).toMatchObject([{ error: expect.stringContaining('took too long') }])
  expect(id).toMatch(/^[0-9a-f]{32}$/)
})

test.each([
  ['no provider answers', { issuer_url: 'http://localhost:1' }, /could not be asked/],
  ['it leads to a metadata service', { issuer_url: 'https://169.254.169.254' }, /no address of a provider/],
  ['the secret is one that nobody stored', { client_secret: '********' }, /give the secret itself/],
])('it does not begin when %s', async (_, spec, reason) => {
  const answer = await alice.call(beginTest, { body: { content: contentOf(spec) } })
  expect(answer).toMatchObject({ status: 400, message: expect.stringMatching(reason) })
})
