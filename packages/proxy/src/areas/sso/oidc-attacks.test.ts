/** A provider that lies, browsers that are not the one that began, and ways back that lead elsewhere. */
import { startForgingProvider } from '@sallyport/testkit/providers/forging-oidc.ts'
import type { Forgery, ForgingProvider } from '@sallyport/testkit/providers/forging-oidc.ts'
import { addressOf, comeBack, startSso, targetOf } from '@sallyport/testkit/providers/sso-flow.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { Answer, ApiBrowser, ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

let provider: ForgingProvider
let api: ProxyApi
let browser: ApiBrowser
const nowSeconds = (): number => Math.floor(Date.now() / 1000)

beforeAll(async () => {
  provider = await startForgingProvider()
})
afterAll(() => provider[Symbol.asyncDispose]())
beforeEach(async () => {
  api = await openProxyApi()
  provider.forge({})
  browser = api.browser().trustPage()
  await api.context.connectors.oidc.create({
    metadata: { name: 'id' },
    spec: {
      issuer_url: provider.origin,
      client_id: 'sallyport',
      client_secret: 'secret',
      redirect_url: 'http://localhost:3080/v1/webapi/oidc/callback',
      claims_to_roles: [{ claim: 'groups', value: 'engineers', roles: ['access'] }],
    },
  })
  return () => api[Symbol.asyncDispose]()
})

const start = async (redirect?: string): Promise<string> =>
  addressOf(await startSso(browser, { type: 'oidc', connector: 'id', ...(redirect === undefined ? {} : { redirect }) }))

/** No session, the page, one event with the reason. */
async function expectRefused(answer: Answer, page: string, reason: RegExp): Promise<void> {
  expect(answer.status).toBe(200)
  expect(targetOf(answer)).toBe(page)
  expect(answer.setCookies).toEqual([])
  expect(await api.events('T1001I')).toEqual([])
  expect(await api.events('T1001W')).toMatchObject([{ method: 'oidc', success: false, error: expect.stringMatching(reason) }])
  expect(await api.context.users.list()).toEqual([])
}
const callbackPage = '/web/msg/error/login/callback'

test('honest answers pass, with a proof key and the secret in the header', async () => {
  const address = await start()
  expect(new URL(address).searchParams.get('code_challenge_method')).toBe('S256')
  const answer = await comeBack(browser, provider.agree(address))
  expect(targetOf(answer)).toBe('/web')
  expect(answer.setCookies).toHaveLength(1)
  expect(provider.asked?.get('code_verifier')).toMatch(/^[\w-]{43,}$/)
  expect(provider.asked?.has('client_secret')).toBe(false)
})

test.each<[string, Forgery, RegExp]>([
  ['wrong nonce', { claims: { nonce: 'another' } }, /nonce/],
  ['no nonce', { claims: { nonce: undefined } }, /nonce/],
  ['for somebody else', { claims: { aud: 'another client' } }, /aud/],
  ['for several, issued to another', { claims: { aud: ['sallyport', 'other'], azp: 'other' } }, /azp/],
  ['by another issuer', { claims: { iss: 'https://evil.example' } }, /iss/],
  ['expired', { claims: { exp: nowSeconds() - 3600, iat: nowSeconds() - 7200 } }, /exp/],
  ['not yet valid', { claims: { nbf: nowSeconds() + 3600 } }, /nbf|time/],
  ['signed by a stranger', { strangerSigns: true }, /signature/],
  ['not signed', { unsigned: true, header: { alg: 'none' } }, /alg/],
  ['signed by a shared secret', { header: { alg: 'HS256' } }, /alg/],
  ['no subject', { claims: { sub: undefined } }, /sub/],
  ['facts about somebody else', { userinfo: { sub: 'mallory' } }, /sub/],
  ['no token', { tokenAnswer: { access_token: 'x', token_type: 'Bearer' } }, /id_token|ID Token/i],
  ['an error', { tokenAnswer: { error: 'invalid_grant' } }, /refused/],
])('the provider lies: %s', async (_, forgery, reason) => {
  provider.forge(forgery)
  await expectRefused(await comeBack(browser, provider.agree(await start())), callbackPage, reason)
})

describe('the way back', () => {
  test('R2-043: an unknown state', async () => {
    const answer = await browser.send('GET', `/v1/webapi/oidc/callback?code=x&state=${'0'.repeat(32)}`)
    await expectRefused(answer, callbackPage, /unknown, was used already or took too long/)
  })
  test('no state, and no code', async () => {
    await expectRefused(await browser.send('GET', '/v1/webapi/oidc/callback'), callbackPage, /unknown/)
  })
  test('a state counts once, even when its first use failed', async () => {
    const back = provider.agree(await start())
    provider.forge({ claims: { nonce: 'another' } })
    await comeBack(browser, back)
    provider.forge({})
    expect(targetOf(await comeBack(browser, back))).toBe(callbackPage)
    expect(await api.events('T1001W')).toHaveLength(2)
    expect(await api.events('T1001I')).toEqual([])
  })
  test('a used state signs nobody in again', async () => {
    const back = provider.agree(await start())
    await comeBack(browser, back)
    const again = await comeBack(browser, back)
    expect([targetOf(again), again.setCookies]).toEqual([callbackPage, []])
  })
  test('of two returns at the same moment one counts', async () => {
    const back = provider.agree(await start())
    const answers = await Promise.all([comeBack(browser, back), comeBack(browser, back)])
    expect(answers.map(targetOf).toSorted()).toEqual(['/web', callbackPage])
  })
  test('too late', async () => {
    const back = provider.agree(await start())
    api.clock.advance(10 * 60_000)
    await expectRefused(await comeBack(browser, back), callbackPage, /took too long/)
  })
  test('the state of another browser ends at the sign-in page, and is used up', async () => {
    const back = provider.agree(await start())
    const victim = api.browser()
    victim.cookies.set('__Host-grv_csrf', 'cd'.repeat(32))
    await expectRefused(await comeBack(victim, back), '/web/msg/error/login', /another browser/)
    expect(targetOf(await comeBack(browser, back))).toBe(callbackPage)
  })
  test('a browser without the cookie', async () => {
    const back = provider.agree(await start())
    await expectRefused(await comeBack(api.browser(), back), '/web/msg/error/login', /another browser/)
  })
  test('the state of another kind of connector', async () => {
    const state = new URL(await start()).searchParams.get('state')
    const answer = await browser.send('GET', `/v1/webapi/github/callback?code=x&state=${state}`)
    expect(targetOf(answer)).toBe(callbackPage)
  })
  test('a connector that was removed meanwhile', async () => {
    const back = provider.agree(await start())
    await api.context.connectors.oidc.delete('id')
    await expectRefused(await comeBack(browser, back), callbackPage, /was removed meanwhile/)
  })
})

describe('the start', () => {
  const location = (answer: Answer): unknown => [answer.status, answer.headers['location']]
  test.each([
    ['no connector of that name', '?connector_id=other&redirect_url=/web'],
    ['no connector', '?redirect_url=/web'],
    ['no way back', '?connector_id=id'],
    ['nothing', ''],
  ])('%s', async (_, query) => {
    expect(location(await browser.send('GET', `/v1/webapi/oidc/login/web${query}`))).toEqual([302, '/web/msg/error/login'])
  })
  test('no CSRF cookie', async () => {
    expect(location(await startSso(api.browser(), { type: 'oidc', connector: 'id' }))).toEqual([302, '/web/msg/error/login'])
  })
  test.each([
    ['calls itself something else', { issuer: 'https://evil.example' }],
    ['sends people to plain http elsewhere', { authorization_endpoint: 'http://evil.example/authorize' }],
  ])('a provider that %s', async (_, discovery) => {
    provider.forge({ discovery })
    expect(location(await startSso(browser, { type: 'oidc', connector: 'id' }))).toEqual([302, '/web/msg/error/login'])
  })
  test('a provider that names a metadata service for its keys is not followed', async () => {
    provider.forge({ discovery: { token_endpoint: 'http://169.254.169.254/token' } })
    await expectRefused(await comeBack(browser, provider.agree(await start())), callbackPage, /is not called/)
  })
})

test.each([
  ['http://localhost:3080/web/users?x=1&y=2%23z', '/web/users?x=1&y=2#z'],
  ['https%3A%2F%2Fevil.example%2Fweb%2Fusers', '/web/users'],
  ['https://evil.example//evil.example/x', '/evil.example/x'],
  ['//evil.example/x', '/x'],
  ['/\\evil.example', '/'],
  ['\\\\evil.example/x', '/x'],
  ['https:evil.example', '/evil.example'],
  ['javascript:alert(1)', '/web'],
  ['data:text/html,x', '/web'],
  ["/web/'onload='x\"<b>", '/web/%27onload=%27x%22%3Cb%3E'],
  ['%zz', '/web'],
  ['', '/web'],
])('R2-112: the way back %s leads to %s', async (redirect, target) => {
  const answer = await comeBack(browser, provider.agree(await start(redirect)))
  expect(answer.setCookies).toHaveLength(1)
  expect(targetOf(answer)).toBe(target)
})
