/** A root that was taken over: what its link opens at a leaf that trusts it, and what stays closed. */
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { json } from 'node:stream/consumers'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatPublicKey, signSsh } from '@sallyport/protocols/ssh/keys.ts'
import { openAuthorities } from '@sallyport/proxy/core/authorities/authorities.ts'
import type { Authorities } from '@sallyport/proxy/core/authorities/authorities.ts'
import type { Caller } from '@sallyport/proxy/core/caller.ts'
import { signAssertion } from '@sallyport/proxy/core/trusted-clusters/assertions.ts'
import { exportAuthorities, readAuthorities } from '@sallyport/proxy/core/trusted-clusters/cluster-authorities.ts'
import { proveLeaf } from '@sallyport/proxy/core/trusted-clusters/link-handshake.ts'
import { connectAgent } from '@sallyport/proxy/core/tunnel/agent-connection.ts'
import type { AgentConnection } from '@sallyport/proxy/core/tunnel/agent-connection.ts'
import { create, validate } from '@sallyport/wire/calls/trusted-clusters.ts'
import { assertionHeader, linkProtocol, proxyTarget } from '@sallyport/wire/cluster-link.ts'
import { tunnelPath, tunnelProtocol } from '@sallyport/wire/tunnel.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { trustDocument } from './trust.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

const opened = new AsyncDisposableStack()
let leaf: World
let authorities: Authorities
let link: AgentConnection

beforeAll(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sallyport-hostile-'))
  opened.defer(() => rm(directory, { recursive: true, force: true }))
  authorities = await openAuthorities(directory, Date)
  leaf = opened.use(await createWorld({ people: ['alice'], settings: { clusterName: 'leaf' } }))
  let leafKey = ''
  const root = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const { certificate_authorities: given } = validate.body.parse(await json(request))
    leafKey = readAuthorities(given).clusterKeys[0] ?? ''
    response.end(JSON.stringify({ certificate_authorities: exportAuthorities(authorities, 'root') }))
  })
  const connected = Promise.withResolvers<AgentConnection>()
  const serve = async (stream: Duplex): Promise<AgentConnection> => {
    stream.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${linkProtocol}\r\n\r\n`)
    const known = { name: 'leaf', publicKey: leafKey, labels: {}, lastConnected: 0, onlineUntil: 0 }
    const state = { nodeCount: 0, publicURL: '', authVersion: '', proxyVersion: '' }
    const identity = { clusterKey: authorities.clusterKey, clusterName: 'root', clock: Date }
    const { welcome } = await proveLeaf({ ...identity, leaves: { find: async () => ({ ...known, state }) } }, stream, new Uint8Array())
    await welcome()
    return connectAgent({ stream, pingEvery: 10_000, readHeartbeat: (beat) => beat, onHeartbeat: async () => undefined })
  }
  root.on('upgrade', (_request: IncomingMessage, stream: Duplex) => {
    stream.on('error', () => {}) // the test is over
    // Of the connections that the leaf makes when the first one is gone, nobody wants to know.
    serve(stream).then(connected.resolve, connected.reject)
  })
  await once(root.listen(0, '127.0.0.1'), 'listening')
  opened.defer(() => void root.close())
  const address = `http://127.0.0.1:${(root.address() as AddressInfo).port}`
  const admin = await leaf.signIn('alice')
  await admin.call(create, { body: { content: trustDocument({ name: 'root', url: address }, 'any') } })
  link = await connected.promise
  opened.defer(() => link.close('the test is over'))
})
afterAll(() => opened.disposeAsync())

/** Sends bytes over a stream of the link; resolves with what came until the leaf closed it. */
async function say(bytes: string): Promise<string> {
  const stream = await link.open(AbortSignal.timeout(10_000), { target: proxyTarget, clientAddress: '10.0.0.1:1' })
  stream.write(bytes)
  let answer = ''
  for await (const piece of stream as AsyncIterable<Buffer>) answer += piece.toString('latin1')
  return answer
}
const asks = (method: string, path: string, headers: Record<string, string> = {}): Promise<string> => {
  const all = { host: 'leaf', connection: 'close', ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return say(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
}
const somebody = (roles: string[]): Caller =>
  ({
    username: 'mallory',
    roles,
    traits: { logins: ['root'] },
    sessionId: randomUUID(),
    sessionExpires: Date.now() + 3_600_000,
  }) as unknown as Caller
const signed = (target: string, roles = ['access']) => ({
  [assertionHeader]: signAssertion({ clusterKey: authorities.clusterKey, clusterName: 'root', clock: Date }, 'leaf', somebody(roles), {
    method: 'GET',
    target,
  }),
})

test('it can ask as anybody that the mapping lets in, for what their roles give, and for nothing else', async () => {
  const nodes = '/webapi/sites/leaf/nodes'
  expect(await asks('GET', nodes, signed(nodes))).toMatch(/^HTTP\/1\.1 200 [^]*this-machine/)
  expect(await asks('GET', nodes, signed(nodes, ['unmapped']))).toMatch(/^HTTP\/1\.1 403 /)
  const events = '/webapi/sites/leaf/locks'
  expect(await asks('GET', events, signed(events))).toMatch(/^HTTP\/1\.1 403 /)
})

test('it finds no sign-in, no page, no application, no agent, and no other protocol of the port', async () => {
  for (const path of ['/webapi/ping', '/v1/webapi/ping', '/web', '/web/config.js', '/', '/webapi/sites', '/webapi/users', '//webapi/ping'])
    expect(await asks('GET', path, signed(path)), path).toMatch(/^HTTP\/1\.1 404 /)
  expect(await asks('GET', '/anything', { host: 'app.localhost' })).toMatch(/^HTTP\/1\.1 404 /)
  const upgrade = { connection: 'Upgrade', upgrade: tunnelProtocol }
  expect(await asks('GET', tunnelPath, upgrade)).toMatch(/^HTTP\/1\.1 404 /)
  expect(await say('SSH-2.0-mallory\r\n')).toMatch(/^HTTP\/1\.1 400 /)
})

test('it is no other host: nothing but the proxy can be dialled', async () => {
  for (const target of ['ssh', 'localhost:22', '127.0.0.1:22', leaf.agentId])
    await expect(link.open(AbortSignal.timeout(10_000), { target })).rejects.toMatchObject({ message: expect.stringContaining('refused') })
})

test('a key that it did not join with signs nothing', async () => {
  const { privateKey } = generateKeyPairSync('ed25519')
  const clusterKey = { publicLines: [formatPublicKey(privateKey)], sign: (message: Uint8Array) => signSsh(privateKey, message) }
  const target = '/webapi/sites/leaf/nodes'
  const assertion = signAssertion({ clusterKey, clusterName: 'root', clock: Date }, 'leaf', somebody(['access']), { method: 'GET', target })
  expect(await asks('GET', target, { [assertionHeader]: assertion })).toMatch(/^HTTP\/1\.1 403 [^]*not signed by the root/)
})
