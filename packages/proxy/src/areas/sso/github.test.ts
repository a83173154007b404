/** Signing in through a server that speaks like GitHub. */
import { startGithubProvider } from '@sallyport/testkit/providers/github.ts'
import type { GithubTestProvider } from '@sallyport/testkit/providers/github.ts'
import { sendJson } from '@sallyport/testkit/providers/provider-server.ts'
import { addressOf, comeBack, startSso, targetOf } from '@sallyport/testkit/providers/sso-flow.ts'
import { ProviderVisitor } from '@sallyport/testkit/providers/visitor.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { Answer, ApiBrowser, ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { ServerResponse } from 'node:http'

const callbackPage = '/web/msg/error/login/callback'
let provider: GithubTestProvider
let api: ProxyApi
let browser: ApiBrowser

beforeAll(async () => {
  provider = await startGithubProvider({
    octocat: { id: 1, teams: ['octo/a', 'octo/b', 'octo/c', 'octo/platform', 'other/x'] },
    shouter: { id: 2, teams: ['Octo/Platform'] },
    loner: { id: 3, teams: [], organizations: ['octo'] },
    alice: { id: 4, teams: ['octo/platform'] },
  })
})
afterAll(() => provider[Symbol.asyncDispose]())
const documentOf = (spec: object = {}) => ({
  metadata: { name: 'gh' },
  spec: {
    client_id: provider.clientId,
    client_secret: provider.clientSecret,
    redirect_url: 'http://localhost:3080/v1/webapi/github/callback',
    endpoint_url: provider.origin,
    api_endpoint_url: provider.api,
    teams_to_roles: [
      { organization: 'octo', team: 'platform', roles: ['access'] },
      { organization: 'octo', team: '*', roles: ['editor'] },
    ],
    teams_to_logins: [{ organization: 'octo', team: 'c', logins: ['auditor'], kubernetes_groups: ['viewers'] }],
    ...spec,
  },
})
beforeEach(async () => {
  api = await openProxyApi()
  browser = api.browser().trustPage()
  await api.context.connectors.github.create(documentOf())
  return () => api[Symbol.asyncDispose]()
})

async function signIn(account: string): Promise<Answer> {
  const address = addressOf(await startSso(browser, { type: 'github', connector: 'gh', redirect: 'http://localhost:3080/web/users' }))
  expect(new URL(address).searchParams.get('state')).toMatch(/^[0-9a-f]{32}$/)
  return comeBack(browser, await new ProviderVisitor().signIn(address, account))
}
async function expectRefused(answer: Answer, page: string, reason: RegExp): Promise<void> {
  expect(targetOf(answer)).toBe(page)
  expect(answer.setCookies).toEqual([])
  expect(await api.events('T1001I')).toEqual([])
  expect(await api.events('T1001W')).toMatchObject([{ method: 'github', success: false, error: expect.stringMatching(reason) }])
}

test('R8-041: a member is signed in with the roles of the teams, over all pages of the list', async () => {
  const answer = await signIn('octocat')
  expect(targetOf(answer)).toBe('/web/users')
  expect(answer.setCookies).toHaveLength(1)
  expect((await api.context.users.require('octocat')).spec).toMatchObject({
    // A star is the name of no team here.
    roles: ['access', 'auditor'],
    traits: {
      logins: ['octocat'],
      teams: ['octo/a', 'octo/b', 'octo/c', 'octo/platform', 'other/x'],
      github_teams: ['a', 'b', 'c', 'platform', 'x'],
      kubernetes_groups: ['viewers'],
    },
    created_by: { connector: { type: 'github', id: 'gh', identity: `${provider.api} 1` } },
  })
  expect(provider.asked).toContain('/user/teams?per_page=100&page=3')
  expect(await api.events('T1001I')).toMatchObject([
    { user: 'octocat', method: 'github', attributes: { organizations: ['octo', 'other'] } },
  ])
})

test.each([
  ['no team', 'loner', '/web/msg/error/login/auth', /no role is mapped to loner/],
  ['a team in other letters', 'shouter', '/web/msg/error/login/auth', /upper and lower case differ/],
  ['the person says no', '', callbackPage, /access_denied/],
  ['a local user has the name', 'alice', callbackPage, /a local user "alice" already exists/],
])('R8-042: %s', async (_, account, page, reason) => {
  await api.invite('alice')
  await expectRefused(await signIn(account), page, reason)
})

test.each<[string, string, (response: ServerResponse) => void, RegExp]>([
  ['does not know the token', '/user', (response) => void response.writeHead(401).end('{}'), /answered 401/],
  ['answers no JSON', '/user', (response) => void response.writeHead(200).end('<html>'), /is no JSON/],
  ['names nobody', '/user', (response) => sendJson(response, { id: 1 }), /another form/],
  [
    'sends the list to another host',
    '/user/teams',
    (response) => sendJson(response, [], { link: '<https://evil.example/x>; rel="next"' }),
    /another host/,
  ],
  [
    'redirects elsewhere',
    '/user',
    (response) => void response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end(),
    /redirects to/,
  ],
  ['answers too much', '/user', (response) => void response.writeHead(200).end('x'.repeat(2 * 1024 * 1024)), /larger than/],
  ['breaks off', '/user', (response) => void response.destroy(), /could not be asked/],
])('an API that %s', async (_, path, answer, reason) => {
  provider.override(path, answer)
  try {
    await expectRefused(await signIn('octocat'), callbackPage, reason)
  } finally {
    provider.override(path, undefined)
  }
})

test('a code of somebody else is of no use: the proof key is missing', async () => {
  const stolen = await new ProviderVisitor().signIn(addressOf(await startSso(browser, { type: 'github', connector: 'gh' })), 'octocat')
  const own = addressOf(await startSso(browser, { type: 'github', connector: 'gh' }))
  const mixed = new URL(stolen)
  mixed.searchParams.set('state', new URL(own).searchParams.get('state') ?? '')
  await expectRefused(await comeBack(browser, mixed.href), callbackPage, /bad_verification_code/)
})

test('a wrong secret, and a state that was used', async () => {
  await api.context.connectors.github.update(documentOf({ client_secret: 'wrong' }))
  const address = addressOf(await startSso(browser, { type: 'github', connector: 'gh' }))
  const back = await new ProviderVisitor().signIn(address, 'octocat')
  expect(targetOf(await comeBack(browser, back))).toBe(callbackPage)
  expect(targetOf(await comeBack(browser, back))).toBe(callbackPage)
  expect((await api.events('T1001W')).map(({ error }) => error)).toEqual([
    expect.stringMatching(/incorrect_client_credentials/),
    expect.stringMatching(/was used already/),
  ])
  expect(JSON.stringify(await api.events('T1001W'))).not.toContain('wrong')
})
