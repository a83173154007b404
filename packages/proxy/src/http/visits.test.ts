/** What a root gets at a leaf, and a root that was taken over does not. */
import { generateKeyPairSync } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { assertionHeader } from '@sallyport/wire/cluster-link.ts'
import { formatPublicKey, signSsh } from '@sallyport/protocols/ssh/keys.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { ApiBrowser, ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { signedIn } from '@sallyport/testkit/proxy-people.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { ClusterKey } from '../core/authorities/authorities.ts'
import type { Caller } from '../core/caller.ts'
import { createLog } from '../core/log.ts'
import { createResourceStore } from '../core/resources/resources.ts'
import { createChangeFeed } from '../core/resources/change-feed.ts'
import { signAssertion } from '../core/trusted-clusters/assertions.ts'
import { createRootClusters } from '../core/trusted-clusters/root-clusters.ts'
import { trustedClusterKind } from '../core/trusted-clusters/trusted-cluster.ts'
import { createAccessService } from '../core/access/access.ts'
import { createVerifier } from '../core/trusted-clusters/assertions.ts'
import { createVisitors } from '../core/trusted-clusters/visitors.ts'
import type { Visitors } from '../core/trusted-clusters/visitors.ts'
import { memoryStreamPair } from '../core/tunnel/memory-stream.ts'
import { createAuthenticator } from './authenticate.ts'
import { createRateLimiter } from './rate-limit.ts'
import { register } from './register.ts'
import { createServer } from './server.ts'
import { createVisits, keepToSite } from './visits.ts'
import type { Visits } from './visits.ts'

const newKey = (): ClusterKey => {
  const { privateKey } = generateKeyPairSync('ed25519')
  return { publicLines: [formatPublicKey(privateKey)], sign: (message) => signSsh(privateKey, message) }
}
const rootKey = newKey()
let api: ProxyApi
let alice: ApiBrowser
let app: Awaited<ReturnType<typeof createServer>>
let visits: Visits
let visitors: Visitors
let store: ReturnType<typeof storeOf>
const storeOf = ({ context, clock }: ProxyApi, feed: ReturnType<typeof createChangeFeed>) =>
  createResourceStore(trustedClusterKind, { db: context.db, feed, clock })
let clusterName: string
let path: string

beforeAll(async () => {
  api = await openProxyApi()
  alice = await signedIn(api, 'alice')
  const { context, clock } = api
  const { db, users, roles, lockView: locks } = context
  clusterName = context.config.clusterName
  path = `/webapi/sites/${clusterName}/nodes`
  const feed = createChangeFeed()
  store = storeOf(api, feed)
  const roots = createRootClusters(db)
  await roots.put({ name: 'root', publicKeys: rootKey.publicLines, tokenHash: '', authorities: [] })
  await roots.put({ name: 'stranger', publicKeys: rootKey.publicLines, tokenHash: '', authorities: [] })
  const access = createAccessService({ roles, feed })
  visitors = createVisitors({ store, roots, verifier: createVerifier({ clusterName, clock }), access, users, locks, feed, clock })
  app = await createServer({ log: createLog('silent'), tls: undefined })
  const serve = (socket: Socket): void => void app.server.emit('connection', socket)
  visits = createVisits({ visitors, relay: { isRelayed: () => false }, serve })
  keepToSite(app, visits)
  const authenticator = createAuthenticator({ sessions: context.sessions, locks, audit: context.audit })
  register(app, context.routes, { authenticator, limiter: createRateLimiter(clock), visits })
  await app.ready()
})
afterAll(async () => {
  visitors[Symbol.dispose]()
  await app.close()
  await api[Symbol.asyncDispose]()
})
const document = (enabled: boolean, local = ['access']) => ({
  metadata: { name: 'root' },
  spec: { enabled, web_proxy_addr: 'root.example.com', role_map: [{ remote: 'staff', local }] },
})
beforeEach(async () => {
  if (await store.get('root')) await store.update(document(true))
  else await store.create(document(true))
})

const person = (roles: string[], username = 'ann') =>
  ({ username, roles, traits: {}, sessionId: 'e'.repeat(64), sessionExpires: api.clock.now() + 3_600_000 }) as unknown as Caller
const assertion = (target = path, { key = rootKey, name = 'root', caller = person(['staff']) } = {}): string =>
  signAssertion({ clusterKey: key, clusterName: name, clock: api.clock }, clusterName, caller, { method: 'GET', target })

async function ask(target: string, headers: Record<string, string> = {}, method = 'GET'): Promise<{ status: number; text: string }> {
  const [near, far] = memoryStreamPair()
  visits.accept(far, { root: 'root', clientAddress: '10.1.2.3:4567' })
  const asked = httpRequest({ createConnection: () => near, method, path: target, headers: { ...headers, connection: 'close' } })
  const answer = await new Promise<IncomingMessage>((resolve, reject) => asked.once('response', resolve).once('error', reject).end())
  return { status: answer.statusCode ?? 0, text: await text(answer) }
}
const refusal = (status: number, message: string) => ({ status, text: expect.stringContaining(message) })

test('who is asserted gets what the mapped roles give; nobody is anybody by a cookie', async () => {
  expect(await ask(path, { [assertionHeader]: assertion() })).toMatchObject({ status: 200 })
  const cookies = { cookie: `__Host-session=${alice.sessionCookie}`, authorization: `Bearer ${alice.bearer}` }
  expect(await ask(path, cookies)).toEqual(refusal(403, 'the root does not say who asks'))
  // With both, it is the assertion that counts: alice may see locks, ann may not.
  const locks = `/webapi/sites/${clusterName}/locks`
  expect(await ask(locks, { ...cookies, [assertionHeader]: assertion(locks) })).toEqual(refusal(403, 'access denied to perform action'))
})

test('an assertion is good once, for one request, from a root that is trusted, and enabled', async () => {
  const once = { [assertionHeader]: assertion() }
  expect(await ask(path, once)).toMatchObject({ status: 200 })
  expect(await ask(path, once)).toEqual(refusal(403, 'it was used before'))
  expect(await ask(`${path}?limit=1`, { [assertionHeader]: assertion() })).toEqual(refusal(403, 'it is for another request'))
  expect(await ask(path, { [assertionHeader]: assertion(path, { key: newKey() }) })).toEqual(refusal(403, 'it is not signed by the root'))
  for (const name of ['stranger', 'nobody'])
    expect(await ask(path, { [assertionHeader]: assertion(path, { name }) })).toEqual(refusal(403, 'does not trust the one that asks'))
  await store.update(document(false))
  expect(await ask(path, { [assertionHeader]: assertion() })).toEqual(refusal(403, 'does not trust the one that asks'))
})

test('without a link an assertion is worth nothing', async () => {
  const { statusCode, body } = await app.inject({ method: 'GET', url: `/v1${path}`, headers: { [assertionHeader]: assertion() } })
  expect({ status: statusCode, text: body }).toEqual(refusal(403, 'missing session cookie'))
})

test('over a link there is nothing but the site of this cluster: no sign-in, no administration, no page', async () => {
  const { routes } = api.context
  const others = routes.filter(({ call }) => !call.path.includes('/sites/{clusterId}/')).map(({ call }) => call)
  expect(others.length).toBeGreaterThan(60)
  for (const { method, path: pattern } of others) {
    const target = pattern.replace('/v1/', '/').replaceAll(/\{\w+\}/g, 'x')
    const answer = await ask(target, { [assertionHeader]: assertion(target) }, method)
    expect(answer, `${method} ${target}`).toEqual(refusal(404, 'there is no such call'))
  }
  expect(await ask('/web')).toMatchObject({ status: 404 })
})

test('somebody without a mapped role, or with the name of a user of this cluster, is not let in', async () => {
  for (const roles of [[], ['guest'], ['access'], ['default-implicit-role']])
    expect(await ask(path, { [assertionHeader]: assertion(path, { caller: person(roles) }) })).toEqual(
      refusal(403, 'none of your roles is mapped'),
    )
  await api.context.users.create({ metadata: { name: 'ben-root' }, spec: { roles: [] } })
  const ben = person(['staff'], 'ben')
  expect(await ask(path, { [assertionHeader]: assertion(path, { caller: ben }) })).toEqual(refusal(403, 'is a user of this cluster'))
})

test('what a visitor lives on ends when their sign-in does, and when the trust does', async () => {
  const request = { method: 'GET', target: path }
  const first = await visitors.callerOf(assertion(), request)
  expect(first).toMatchObject({ username: 'ann-root', roles: ['access'] })
  visitors.over('root', first.sessionId.slice('root/'.length))
  expect(first.signal.aborted).toBe(true)
  const second = await visitors.callerOf(assertion(), request)
  expect(second.signal.aborted).toBe(false)
  await store.update(document(true, ['auditor']))
  expect((await visitors.callerOf(assertion(), request)).roles).toEqual(['auditor'])
  expect(second.signal.aborted).toBe(false)
  await store.update(document(false))
  await expect.poll(() => second.signal.aborted).toBe(true)
})
