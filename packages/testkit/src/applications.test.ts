/** Web applications over the whole way: a browser, the proxy, a real HTTP server behind it. */
import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto'
import { once } from 'node:events'
import { appSessionCookie, appSubjectCookie } from '@sallyport/wire/app-access.ts'
import { appKeys, apps } from '@sallyport/wire/calls/apps.ts'
import { activeSessions } from '@sallyport/wire/calls/sessions.ts'
import { signOut } from '@sallyport/wire/calls/session.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { z } from 'zod'
import type { ApiClient } from './api-client.ts'
import { addApp, AppBrowser } from './app-browser.ts'
import { startWebApp } from './targets/web-app.ts'
import type { WebApp } from './targets/web-app.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

let world: World
let wiki: WebApp
let bob: ApiClient
let browser: AppBrowser

const told = z.object({ method: z.string(), url: z.string(), rawHeaders: z.array(z.string()) })
function headersOf(text: string): Record<string, string[]> {
  const { rawHeaders } = told.parse(JSON.parse(text))
  const headers: Record<string, string[]> = {}
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase()
    headers[name] = [...(headers[name] ?? []), rawHeaders[index + 1] ?? '']
  }
  return headers
}
const claimsOf = (token: string): Record<string, unknown> =>
  z.record(z.string(), z.unknown()).parse(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()))

beforeAll(async () => {
  world = await createWorld({ people: ['alice', 'bob', 'dan'] })
  wiki = await startWebApp()
  await addApp(world, 'wiki', { uri: wiki.uri, labels: { team: 'docs' } })
  bob = await world.signIn('bob')
  browser = new AppBrowser(world.url, 'wiki.localhost')
  await browser.enter(bob, world.cluster)
})
afterAll(async () => {
  await wiki[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

test('R7-036, R7-044: the list of applications', async () => {
  const page = await bob.call(apps, { params: { clusterId: world.cluster }, query: { search: 'wiki', sort: 'publicAddr:desc', limit: 1 } })
  expect(page).toEqual({
    items: [
      {
        name: 'wiki',
        description: '',
        uri: wiki.uri,
        publicAddr: 'wiki.localhost',
        fqdn: 'wiki.localhost',
        clusterId: world.cluster,
        labels: [{ name: 'team', value: 'docs' }],
        awsConsole: false,
      },
    ],
    startKey: '',
    totalCount: 1,
  })
  const none = await bob.call(apps, { params: { clusterId: world.cluster }, query: { query: 'labels["team"] == "ops"' } })
  expect(none.items).toEqual([])
})

test('a page is answered by the application, and by nothing of the console', async () => {
  const page = await browser.send('/')
  expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } })
  expect(page.text).toContain('Team wiki')
  expect(page.headers['content-security-policy']).toBeUndefined()
  expect((await browser.send('/web/login')).text).toBe('no such page')
  expect((await browser.send('/v1/webapi/ping')).text).toBe('no such page')
})

test('the application is told who asks, signed, and nothing that the browser says about that', async () => {
  const answer = await browser.send('/headers?q=1', {
    headers: {
      'teleport-jwt-assertion': 'forged',
      teleport_jwt_assertion: 'forged',
      'x-forwarded-for': '6.6.6.6',
      'x-teleport-user': 'root',
      connection: 'close, x-own',
      'x-own': 'dropped',
      'x-kept': 'yes',
      cookie: `${browser.cookieHeader}; own=1`,
    },
  })
  const headers = headersOf(answer.text)
  const [token = ''] = headers['teleport-jwt-assertion'] ?? []
  expect(headers).toMatchObject({
    'teleport-jwt-assertion': [token],
    'cf-access-token': [token],
    host: [`wiki.localhost:${new URL(world.url).port}`],
    cookie: ['own=1'],
    'x-kept': ['yes'],
    'x-forwarded-for': ['127.0.0.1'],
    'x-real-ip': ['127.0.0.1'],
    'x-forwarded-proto': ['http'],
    'x-forwarded-ssl': ['off'],
    'x-forwarded-host': [`wiki.localhost:${new URL(world.url).port}`],
  })
  expect(headers).not.toHaveProperty('x-own')
  expect(headers).not.toHaveProperty('x-teleport-user')
  expect(answer.text).not.toContain('forged')
  const now = Date.now() / 1000
  const claims = claimsOf(token)
  expect(claims).toMatchObject({ iss: world.cluster, aud: [wiki.uri], sub: 'bob', username: 'bob', roles: ['access'] })
  expect(claims['traits']).toHaveProperty('logins')
  expect(Number(claims['nbf'])).toBe(Number(claims['iat']) - 10)
  expect(Number(claims['exp'])).toBeGreaterThan(now)
  const { keys } = await bob.call(appKeys)
  const [head, body, signature = ''] = token.split('.')
  const key = createPublicKey({ key: { ...keys[0] }, format: 'jwk' })
  expect(verify('sha256', Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url'))).toBe(true)
})

test('bodies of any size, both ways, whole', async () => {
  const body = randomBytes(12 * 1024 * 1024)
  const sent = await browser.send('/digest', { method: 'POST', body })
  expect(JSON.parse(sent.text)).toEqual({ length: body.length, digest: createHash('sha256').update(body).digest('hex') })
  expect((await browser.send('/download?bytes=20000000')).text).toHaveLength(20_000_000)
})

test('what a browser does not read, the application does not make', async () => {
  const stalled = await browser.open('/download?bytes=4000000000&watched')
  await once(stalled, 'readable')
  // Meanwhile others are answered, and more passes than may lie anywhere between the two.
  const other = await browser.open('/download?bytes=200000000')
  other.resume()
  await once(other, 'end')
  expect(wiki.watched()).toBeLessThan(64 * 1024 * 1024)
  stalled.destroy()
})

test('an answer that breaks off at the application breaks off at the browser', async () => {
  await expect(browser.send('/broken')).rejects.toThrow('aborted')
})

test('events arrive one by one', async () => {
  const stream = await browser.open('/events')
  expect(stream.headers['content-type']).toBe('text/event-stream')
  const [one] = (await once(stream, 'data')) as [Buffer]
  expect(String(one)).toBe('data: one\n\n')
  const next = once(stream, 'data')
  await browser.send('/more')
  expect(String(((await next) as [Buffer])[0])).toBe('data: two\n\n')
  stream.destroy()
})

test('websockets, with the same headers; a page of another origin gets none', async () => {
  const address = `ws://127.0.0.1:${new URL(world.url).port}/echo`
  const host = `wiki.localhost:${new URL(world.url).port}`
  const socket = new WebSocket(address, {
    headers: { host, cookie: browser.cookieHeader, 'x-forwarded-for': '6.6.6.6' },
    origin: browser.origin,
  })
  const [first] = (await once(socket, 'message')) as [Buffer]
  const headers = headersOf(JSON.stringify({ method: '', url: '', rawHeaders: JSON.parse(String(first)) }))
  expect(headers['x-forwarded-for']).toEqual(['127.0.0.1'])
  expect(headers['teleport-jwt-assertion']).toHaveLength(1)
  expect(JSON.stringify(headers)).not.toContain('__Host-grv')
  const data = randomBytes(3 * 1024 * 1024)
  socket.send(data)
  expect(((await once(socket, 'message')) as [Buffer])[0].equals(data)).toBe(true)
  socket.close()
  const refusal = async (over: object): Promise<string> => {
    const other = new WebSocket(address, { headers: { host, cookie: browser.cookieHeader }, origin: browser.origin, ...over })
    const [error] = (await once(other, 'error')) as [Error]
    return error.message
  }
  expect(await refusal({ origin: 'https://evil.example' })).toBe('Unexpected server response: 403')
  expect(await refusal({ headers: { host } })).toBe('Unexpected server response: 403')
})

test('cookies count for the host of the application only, and ours are not its own', async () => {
  const set = [
    `a=1; Domain=localhost; Path=/`,
    `${appSessionCookie}=stolen; Path=/; Secure`,
    '__Host-session=x; Path=/; Secure',
    'b=2; HttpOnly',
  ]
  const answer = await browser.send(`/cookies?${set.map((one) => `set=${encodeURIComponent(one)}`).join('&')}`)
  expect(answer.setCookies).toEqual(['a=1; Path=/', 'b=2; HttpOnly'])
  expect(answer.headers).not.toHaveProperty('clear-site-data')
  expect(answer.headers).not.toHaveProperty('alt-svc')
})

test('redirects to where the proxy reaches the application lead to where browsers do', async () => {
  const locationOf = async (to: string): Promise<string | undefined> =>
    (await browser.send(`/redirect?to=${encodeURIComponent(to)}`)).headers.location
  expect(await locationOf(`${wiki.uri}/login?a=1#b`)).toBe(`${browser.origin}/login?a=1#b`)
  expect(await locationOf('/login')).toBe('/login')
  expect(await locationOf('https://elsewhere.example/x')).toBe('https://elsewhere.example/x')
})

test('what was asked stands in a record that the audit log names; the session is among the active ones', async () => {
  const { sessions } = await bob.call(activeSessions, { params: { clusterId: world.cluster } })
  const own = sessions.filter(({ kind }) => kind === 'app')
  expect(own).toMatchObject([{ app_name: 'wiki', owner: 'bob', mayEnd: true, participantModes: [] }])
  const events = await world.proxy.audit.search({
    from: new Date(0),
    to: new Date(Date.now() + 60_000),
    types: ['app.session.start', 'app.session.chunk', 'app.create'],
    limit: 10,
    startKey: '',
    order: 'asc',
  })
  const [added, started, recorded] = events.events
  expect(added).toMatchObject({ code: 'TAP03I', name: 'wiki' })
  expect(started).toMatchObject({
    code: 'T2007I',
    user: 'bob',
    server_id: '',
    app_name: 'wiki',
    app_uri: wiki.uri,
    app_public_addr: 'wiki.localhost',
    sid: own[0]?.id,
  })
  expect(recorded).toMatchObject({ code: 'T2008I', user: 'bob', app_name: 'wiki', sid: own[0]?.id, session_chunk_id: expect.any(String) })
})

test('R8-044: a lock cuts what is open at an application, and the audit log has why', async () => {
  const client = await world.signIn('alice')
  const other = new AppBrowser(world.url, 'wiki.localhost')
  await other.enter(client, world.cluster)
  const stream = await other.open('/events')
  const closed = new Promise((resolve) => stream.once('close', resolve).on('error', () => {}))
  const { metadata } = await world.proxy.locks.place({ target: { user: 'alice' }, message: 'enough' }, 'test')
  await closed
  const query = { from: new Date(0), to: new Date(Date.now() + 60_000), limit: 10, startKey: '', order: 'asc' } as const
  const cut = async () => (await world.proxy.audit.search({ ...query, types: ['client.disconnect', 'app.session.end'] })).events
  await expect.poll(async () => (await cut()).map(({ code }) => code)).toEqual(['T3006I', 'T2011I'])
  const [disconnected, ended] = await cut()
  expect(disconnected).toMatchObject({ user: 'alice', app_name: 'wiki', reason: 'lock targeting User:"alice" is in force: enough' })
  expect(ended).toMatchObject({ user: 'alice', app_name: 'wiki', sid: disconnected?.['sid'] })
  await world.proxy.locks.lift(metadata.name, 'test')
})

test('signing out of the console ends what is open', async () => {
  const client = await world.signIn('bob')
  const other = new AppBrowser(world.url, 'wiki.localhost')
  await other.enter(client, world.cluster)
  const stream = await other.open('/events')
  const closed = new Promise((resolve) => stream.once('close', resolve).on('error', () => {}))
  await client.call(signOut)
  await closed
  expect(await other.send('/')).toMatchObject({ status: 302, headers: { location: `${world.url}/web/launch/wiki.localhost?path=%2F` } })
  expect([appSessionCookie, appSubjectCookie].every((name) => other.cookies.has(name))).toBe(true)
})
