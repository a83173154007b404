/** Hosts with an agent of their own, as processes, through the real proxy. */
import { spawn } from 'node:child_process'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { ask } from '@sallyport/cli/admin-client.ts'
import { hostProof } from '@sallyport/protocols/ssh/host-proof.ts'
import { formatPublicKey, signSsh } from '@sallyport/protocols/ssh/keys.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { joinHost as joinHostCall } from '@sallyport/wire/calls/join.ts'
import { nodes } from '@sallyport/wire/calls/nodes.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { ownLogin } from './people.ts'
import { joinHost, runAgent } from './targets/agent.ts'
import type { HostOptions, JoinedHost } from './targets/agent.ts'
import { startNamespace, whyNoNamespace } from './targets/namespace.ts'
import { TerminalClient } from './terminal-client.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

let world: World
let alice: ApiClient
beforeAll(async () => {
  // Connections are looked at every three seconds, so that one that hangs is noticed soon.
  world = await createWorld({ people: ['alice'], settings: { keepAliveInterval: '3s' } })
  alice = await world.signIn('alice')
})
afterAll(() => world[Symbol.asyncDispose]())

const newToken = async (options: { ttl?: number; once?: boolean; labels?: Record<string, string> } = {}): Promise<string> =>
  (await ask(world.dataDir, adminCalls.addToken, { roles: ['node'], ttl: 3600, ...options })).token
const joinAs = async (options: Partial<HostOptions> = {}): Promise<JoinedHost> =>
  joinHost({ proxy: world.url, token: options.token ?? (await newToken()), hostname: 'far-away', ...options })
const open = (serverId: string): Promise<TerminalClient> =>
  TerminalClient.open(alice, { cluster: world.cluster, serverId, login: ownLogin })
const listed = async (hostId: string) =>
  (await alice.call(nodes, { params: { clusterId: world.cluster }, query: { limit: 100 } })).items.find(({ id }) => id === hostId)
const isConnected = (hostId: string): boolean => world.proxy.dialer.isConnected(hostId)

async function useTerminal(hostId: string): Promise<void> {
  await expect.poll(() => isConnected(hostId)).toBe(true)
  // Connected is not yet listed: that takes its first heartbeat.
  await expect.poll(() => listed(hostId)).toBeDefined()
  await using terminal = await open(hostId)
  terminal.type('echo still he""re\r')
  await terminal.see('still here')
}

test('R8-086: an agent joins with a token, its host is listed, and a terminal on it echoes, resizes and exits', async () => {
  const token = await newToken({ labels: { team: 'blue' } })
  await using host = await joinAs({ token, args: ['--labels', 'env=far,team=mine'] })
  const agent = host.start()
  expect(await agent.logged('connected')).toMatchObject({ transport: 'upgrade' })
  await expect.poll(() => listed(host.hostId)).toMatchObject({ hostname: 'far-away', tunnel: true })
  const tags = (await listed(host.hostId))?.tags ?? []
  expect(tags).toContainEqual({ name: 'env', value: 'far' })
  // What the administrator gave with the token counts over what the host says of itself.
  expect(tags).toContainEqual({ name: 'team', value: 'blue' })
  const { events } = await alice.call(searchEvents, { params: { clusterId: world.cluster }, query: { include: 'instance.join' } })
  expect(events).toContainEqual(expect.objectContaining({ code: 'TJ002I', node_name: 'far-away', host_id: host.hostId, role: 'Node' }))

  await using terminal = await open('far-away')
  terminal.type('echo hel""lo; stty size\r')
  await terminal.see('hello')
  await terminal.see('24 80')
  terminal.resize(100, 30)
  terminal.type('stty size; exit\r')
  await terminal.see('30 100')
  await terminal.frame('c')
  await terminal.closed()
  expect(await agent.stop()).toBe(0)
})

test('who may not join, or has not joined, is told in one sentence what to do', async () => {
  const used = await newToken({ once: true })
  await using _host = await joinAs({ token: used })
  for (const token of [used, 'f'.repeat(32)])
    await expect(joinAs({ token })).rejects.toThrow(/^The proxy does not let this machine in: the join token is not valid/)
  const dataDir = await mkdtemp(join(tmpdir(), 'sallyport-none-'))
  const started = await runAgent(['start', '--data-dir', dataDir])
  expect(started).toMatchObject({ code: 1, stderr: expect.stringMatching(/has not joined a cluster yet.*agent join/) })
  for (const [args, message] of [
    [[], /Say which cluster to join: --proxy/],
    [['--proxy', world.url], /Give a join token with --token/],
    [['--proxy', world.url, '--token', 'x', '--labels', 'x'], /"x" is no label; write name=value/],
    [['--proxy', world.url, '--token', 'x', '--ca-pin', 'x'], /caPin: must be sha256:/],
    [['--proxy', world.url, '--token', 'x', '--forward', 'x'], /forward.0: must be host:port/],
    [['--wrong'], /Unknown option '--wrong'/],
  ] as const)
    expect(await runAgent(['join', '--data-dir', dataDir, ...args])).toMatchObject({ code: 1, stderr: expect.stringMatching(message) })
  await rm(dataDir, { recursive: true })
})

test('an agent that is killed is noticed at once, ends its terminals, and comes back as the same host', async () => {
  await using host = await joinAs()
  const agent = host.start()
  await agent.logged('connected')
  await expect.poll(() => listed(host.hostId)).toBeDefined()
  await using terminal = await open(host.hostId)
  await terminal.frame('s')
  agent.process.kill('SIGKILL')
  await terminal.closed()
  await expect.poll(() => isConnected(host.hostId)).toBe(false)
  await using refused = await open(host.hostId)
  await refused.closed()
  expect(refused.output).toContain('is not connected; check that its agent is running')
  await host.start().logged('connected')
  await useTerminal(host.hostId)
})

test('an agent that is frozen is noticed by its silence, and is back when it goes on', async () => {
  await using host = await joinAs()
  const agent = host.start()
  await agent.logged('connected')
  await expect.poll(() => isConnected(host.hostId)).toBe(true)
  agent.process.kill('SIGSTOP')
  await expect.poll(() => isConnected(host.hostId)).toBe(false)
  agent.process.kill('SIGCONT')
  await agent.logged('disconnected')
  await expect.poll(() => isConnected(host.hostId)).toBe(true)
  await useTerminal(host.hostId)
})

const whyNot = whyNoNamespace()
describe.skipIf(whyNot)(`a host in a network of its own${whyNot === undefined ? '' : ` (${whyNot})`}`, () => {
  test('is reached though there is no way to it, forwards what it is told to, and survives a partition', async () => {
    await using namespace = await startNamespace(world.proxy.address.port)
    const { wrap, outward, inner } = namespace
    const target = `127.0.0.1:${inner}`
    await using host = await joinAs({ proxy: `http://127.0.0.1:${outward}`, wrap, hostname: 'inside', args: ['--forward', target] })
    const agent = host.start()
    await agent.logged('connected')
    await expect.poll(() => listed(host.hostId)).toBeDefined()

    const direct = connect(inner, '127.0.0.1')
    await expect(once(direct, 'connect')).rejects.toThrow('ECONNREFUSED')
    const stream = await world.proxy.agentTunnels.through(host.hostId, target)(AbortSignal.timeout(20_000))
    expect(await text(stream)).toBe('from inside the namespace')
    stream.end()
    await useTerminal(host.hostId)

    await using terminal = await open(host.hostId)
    await terminal.frame('s')
    namespace.cut()
    await terminal.closed()
    await expect.poll(() => isConnected(host.hostId)).toBe(false)
    namespace.mend()
    await expect.poll(() => isConnected(host.hostId)).toBe(true)
    await useTerminal(host.hostId)
  })
})

test('sallyport agent is the same program', async () => {
  const main = join(import.meta.dirname, '..', '..', 'cli', 'src', 'main.ts')
  const child = spawn(process.execPath, [main, 'agent', 'start', '--data-dir', '/nonexistent'], { stdio: ['ignore', 'ignore', 'pipe'] })
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit') as Promise<[number]>])
  expect(said).toContain('has not joined a cluster yet')
  expect(code).toBe(1)
})

test('whoever guesses tokens soon has to wait, and nobody else does', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const body = { host_id: randomUUID(), hostname: 'guess', public_key: formatPublicKey(publicKey), proof: '' }
  /** From another address than everybody else of this test. */
  const guess = (token: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const proof = signSsh(privateKey, hostProof('join', token, body.host_id)).toString('base64')
      const { port } = world.proxy.address
      const headers = { 'content-type': 'application/json' }
      const options = { host: '127.0.0.1', port, localAddress: '127.0.0.3', path: joinHostCall.path, method: joinHostCall.method, headers }
      request(options, (answer) => resolve(answer.resume().statusCode ?? 0))
        .once('error', reject)
        .end(JSON.stringify({ ...body, token, proof }))
    })
  const outcomes = await Promise.all(Array.from({ length: 200 }, (_, index) => guess(`guess-${index}`)))
  expect(new Set(outcomes)).toEqual(new Set([403, 429]))
  expect(outcomes.filter((status) => status === 429).length).toBeGreaterThan(100)
  await using host = await joinAs()
  expect(host.hostId).not.toBe('')
})
