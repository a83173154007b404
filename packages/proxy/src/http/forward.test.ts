/** What leaves the root with a request for a leaf, and what comes back from a leaf that means harm. */
import { createServer } from 'node:http'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { call, rule } from '@sallyport/wire/call.ts'
import { clusterParams, userContext } from '@sallyport/wire/calls/clusters.ts'
import { put as placeLock } from '@sallyport/wire/calls/locks.ts'
import { nodes } from '@sallyport/wire/calls/nodes.ts'
import { assertionHeader } from '@sallyport/wire/cluster-link.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { ApiBrowser } from '@sallyport/testkit/proxy-api.ts'
import type { ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { signedIn } from '@sallyport/testkit/proxy-people.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Route } from '../core/route.ts'
import { createVerifier } from '../core/trusted-clusters/assertions.ts'
import { memoryStreamPair } from '../core/tunnel/memory-stream.ts'
import { createLog } from '../core/log.ts'
import { createAuthenticator } from './authenticate.ts'
import { createForwards, withoutBearer } from './forward.ts'
import { createRateLimiter } from './rate-limit.ts'
import { register } from './register.ts'
import { createServer as createHttp } from './server.ts'

interface Asked {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string
}

let api: ProxyApi
let app: Awaited<ReturnType<typeof createHttp>>
let browser: ApiBrowser
let asked: Asked[] = []
let answer: (response: ServerResponse) => void
let labels: Record<string, string> = {}
const told: string[] = []
const leafServer = createServer(async (request, response) => {
  asked.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body: await text(request) })
  answer(response)
})
const raw = call({
  id: 'test.raw',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/raw',
  allow: rule('user', 'delete'),
  params: clusterParams,
  answer: 'raw',
})

beforeAll(async () => {
  api = await openProxyApi()
  const alice = await signedIn(api, 'alice')
  const { context } = api
  const leaf = {
    name: 'leaf',
    publicKey: '',
    lastConnected: 0,
    onlineUntil: 0,
    state: { nodeCount: 0, publicURL: '', authVersion: '', proxyVersion: '' },
  }
  const forwards = createForwards({
    clock: api.clock,
    clusterName: api.context.config.clusterName,
    clusterKey: context.authorities.clusterKey,
    lockView: context.lockView,
    leaves: { find: async (name) => (name === 'leaf' ? { ...leaf, labels } : undefined) },
    links: {
      open: async () => {
        const [near, far] = memoryStreamPair()
        leafServer.emit('connection', far as Socket)
        return near
      },
      tellOver: (name, login) => void told.push(`${name} ${login}`),
    },
  })
  app = await createHttp({ log: createLog('silent'), tls: undefined })
  const authenticator = createAuthenticator({ sessions: context.sessions, locks: context.lockView, audit: context.audit })
  const own: Route[] = [nodes, placeLock, userContext, raw].map((one) => ({ call: one as unknown as Route['call'], handler: () => 'own' }))
  register(app, own, { authenticator, limiter: createRateLimiter(api.clock), forwards })
  await app.ready()
  const over = {
    inject: app.inject.bind(app),
    listen: () => Promise.reject(new Error('no port')),
    [Symbol.asyncDispose]: () => app.close(),
  }
  browser = new ApiBrowser(over, '10.0.0.7').trustPage()
  browser.cookies.set('__Host-session', alice.sessionCookie ?? '')
  browser.bearer = alice.bearer
})
afterAll(async () => {
  await app.close()
  await api[Symbol.asyncDispose]()
})
beforeEach(() => {
  asked = []
  labels = {}
  answer = (response) => response.setHeader('content-type', 'application/json').end('{"items":[]}')
})

test('cookie, bearer and page token stay at the root; the leaf gets an assertion for this one request', async () => {
  const sent = await browser.send('GET', `/v1/webapi/sites/leaf/nodes?limit=15&access_token=${browser.bearer}&search=a%20b`, undefined, {
    origin: api.origin,
    'x-forwarded-for': '1.2.3.4',
  })
  expect(sent).toMatchObject({ status: 200, body: { items: [] } })
  const [request] = asked
  expect(request).toMatchObject({ method: 'GET', url: '/webapi/sites/leaf/nodes?limit=15&search=a%20b' })
  const { [assertionHeader]: assertion, ...headers } = request?.headers ?? {}
  for (const name of ['cookie', 'authorization', 'x-csrf-token', 'origin', 'x-forwarded-for']) expect(headers).not.toHaveProperty(name)
  expect(JSON.stringify(request)).not.toContain(browser.bearer)
  const { clusterName } = api.context.config
  const root = { name: clusterName, publicKeys: api.context.authorities.clusterKey.publicLines }
  const verified = createVerifier({ clusterName: 'leaf', clock: api.clock }).verify(String(assertion), root, {
    method: 'GET',
    target: request?.url ?? '',
  })
  expect(verified).toMatchObject({ user: 'alice', aud: 'leaf' })
})

test('a body goes as it came', async () => {
  const body = { targets: { user: 'x' }, message: 'm', ttl: '' }
  await browser.send('PUT', '/v1/webapi/sites/leaf/locks', body)
  expect(asked[0]).toMatchObject({
    method: 'PUT',
    body: JSON.stringify(body),
    headers: { 'content-type': expect.stringContaining('application/json') },
  })
})

test('nobody is passed on without a session and a bearer of it, and nobody whose roles keep them out of the leaf', async () => {
  const bearer = browser.bearer
  browser.bearer = 'f'.repeat(64)
  expect(await browser.send('GET', '/v1/webapi/sites/leaf/nodes')).toMatchObject({ status: 403, message: 'bad bearer token' })
  browser.bearer = bearer
  labels = { env: 'prod' }
  expect(await browser.send('GET', '/v1/webapi/sites/leaf/nodes')).toMatchObject({ status: 403, message: 'access to cluster denied' })
  expect(asked).toEqual([])
})

test('an answer of a leaf has no power over this origin: no cookie, no page, no redirect, no policy of its own', async () => {
  answer = (response) =>
    response
      .writeHead(200, {
        'content-type': 'text/html',
        'set-cookie': '__Host-session=stolen; Path=/; Secure',
        'clear-site-data': '"cookies"',
        location: 'https://elsewhere.example.com',
        'content-security-policy': "default-src 'unsafe-inline'",
        'access-control-allow-origin': '*',
        refresh: '0;url=https://elsewhere.example.com',
        'content-disposition': 'attachment;filename="x"',
      })
      .end('<script>alert(1)</script>')
  for (const [path, type] of [
    ['/v1/webapi/sites/leaf/raw', 'application/octet-stream'],
    ['/v1/webapi/sites/leaf/nodes', 'application/json'],
  ] as const) {
    const { headers } = await app.inject({ method: 'GET', url: path, headers: headersOf(browser) })
    expect(headers).toMatchObject({
      'content-type': type,
      'x-content-type-options': 'nosniff',
      'content-disposition': 'attachment;filename="x"',
    })
    for (const name of ['set-cookie', 'clear-site-data', 'location', 'content-security-policy', 'access-control-allow-origin', 'refresh'])
      expect(headers).not.toHaveProperty(name)
  }
})
const headersOf = (it: ApiBrowser) => ({
  cookie: [...it.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
  authorization: `Bearer ${it.bearer}`,
})

test('a refusal of the leaf is told as it is; a leaf that breaks off is not reachable', async () => {
  answer = (response) => response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"message":"no such node"}}')
  expect(await browser.send('GET', '/v1/webapi/sites/leaf/nodes')).toMatchObject({ status: 404, message: 'no such node' })
  answer = (response) => response.destroy()
  expect(await browser.send('GET', '/v1/webapi/sites/leaf/nodes')).toMatchObject({
    status: 504,
    message: expect.stringContaining('cluster "leaf" is not reachable right now'),
  })
})

test('the own cluster and those that nobody knows are answered here', async () => {
  answer = () => expect.unreachable()
  const { clusterName } = api.context.config
  for (const name of [clusterName, '-current-', 'nowhere']) await browser.send('GET', `/v1/webapi/sites/${name}/raw`)
  expect(asked).toEqual([])
})

test('the end of the sign-in is told to the leaves that were asked, once', async () => {
  await browser.send('GET', '/v1/webapi/sites/leaf/nodes')
  await api.context.sessions.endAllOf('alice')
  expect(told).toEqual([expect.stringMatching(/^leaf [0-9a-f]{64}$/)])
})

test('of a target everything but the bearer is kept', () => {
  expect(withoutBearer('/a?access_token=x')).toBe('/a')
  expect(withoutBearer('/a?b=1&access_token=x&c=%26')).toBe('/a?b=1&c=%26')
  expect(withoutBearer('/a?Access_Token=x&my_access_token=y')).toBe('/a?my_access_token=y')
  expect(withoutBearer('/a')).toBe('/a')
})
