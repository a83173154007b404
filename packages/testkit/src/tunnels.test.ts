/** The tunnel of an agent over every transport, and through every change of its life. */
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { X509Certificate } from 'node:crypto'
import { pinOf } from '@sallyport/agent/tunnel/proxy-socket.ts'
import { ask } from '@sallyport/cli/admin-client.ts'
import { formatCertificate } from '@sallyport/protocols/ssh/certificate.ts'
import { parsePublicKey } from '@sallyport/protocols/ssh/keys.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { dialSsh } from '@sallyport/proxy/kinds/ssh/dial.ts'
import type { SshConnection } from '@sallyport/proxy/kinds/ssh/client.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLogLines, joinLocalHost, startAgentCluster } from './cluster-with-agents.ts'
import type { AgentCluster } from './cluster-with-agents.ts'
import { ownLogin } from './people.ts'
import { freePort } from './targets/free-port.ts'
import { startMiddleBox } from './targets/middle-box.ts'
import { whyNoProgram } from './targets/programs.ts'
import { startSshd } from './targets/sshd.ts'

const clock = { now: () => Date.now() }
const dial = (cluster: AgentCluster, hostId: string): Promise<SshConnection> => {
  const { dialer, authorities } = cluster.proxy()
  return dialSsh({ dialer, authorities, clock, hostId, login: ownLogin, keyId: 'alice', signal: AbortSignal.timeout(20_000) })
}
const signal = (): AbortSignal => AbortSignal.timeout(20_000)

let plain: AgentCluster
let secure: AgentCluster
beforeAll(async () => {
  plain = await startAgentCluster()
  secure = await startAgentCluster({ tls: true })
})
afterAll(async () => {
  await plain[Symbol.asyncDispose]()
  await secure[Symbol.asyncDispose]()
})

/** Bytes go both ways, unchanged, and the exit code comes back. */
async function useHost(cluster: AgentCluster, hostId: string): Promise<void> {
  await expect.poll(() => cluster.proxy().dialer.isConnected(hostId)).toBe(true)
  await using connection = await dial(cluster, hostId)
  const bytes = randomBytes(3_000_000)
  const cat = await connection.exec('cat; exit 7')
  const received = buffer(cat)
  cat.end(bytes)
  expect((await received).equals(bytes)).toBe(true)
  expect(await cat.exit).toEqual({ code: 7, signal: undefined })
}

describe('transports', () => {
  test('plain HTTP on one machine: an upgrade with a token of our own', async () => {
    await using host = await joinLocalHost(plain)
    await using _agent = await host.startAgent()
    expect(await host.log.logged('connected')).toMatchObject({ transport: 'upgrade' })
    await useHost(plain, host.hostId)
  })

  test('TLS: a protocol of our own on the port of the console', async () => {
    await using host = await joinLocalHost(secure)
    await using _agent = await host.startAgent()
    expect(await host.log.logged('connected')).toMatchObject({ transport: 'tls' })
    await useHost(secure, host.hostId)
    const page = await fetch(`http://127.0.0.1:${secure.proxy().address.port}/`).catch((error: Error) => error.name)
    expect(page).toBe('TypeError') // still TLS for everybody else
  })

  test('where TLS ends in between: an upgrade of HTTP/1.1, or a websocket where only that passes', async () => {
    const [cert, key] = [await readFile(plain.certificate.certFile, 'utf8'), await readFile(plain.certificate.keyFile, 'utf8')]
    for (const [transport, passes] of [
      ['upgrade', () => true],
      ['websocket', (upgrade: string) => upgrade === 'websocket'],
    ] as const) {
      await using box = await startMiddleBox({ cert, key, to: plain.proxy().address.port, passes })
      await using host = await joinLocalHost(plain, { origin: `https://localhost:${box.port}` })
      await using _agent = await host.startAgent()
      expect(await host.log.logged('connected')).toMatchObject({ transport })
      await useHost(plain, host.hostId)
    }
  })
})

describe('the certificate of the proxy', () => {
  test('counts when its pin was given, and no other one does', async () => {
    const chain = (await readFile(secure.certificate.certFile, 'utf8'))
      .split(/(?=-----BEGIN)/)
      .filter((part) => part.startsWith('-----BEGIN'))
    const [leaf, authority] = chain.map((pem) => pinOf(new X509Certificate(pem)))
    for (const caPin of [leaf, authority]) {
      await using host = await joinLocalHost(secure, { settings: { caPin, caFile: undefined } })
      await using _agent = await host.startAgent()
      await host.log.logged('connected')
    }
    const other = `sha256:${'0'.repeat(64)}`
    await expect(joinLocalHost(secure, { settings: { caPin: other, caFile: undefined } })).rejects.toThrow(
      'does not lead to the pinned one',
    )
  })

  test('is refused without authority, and a clock that is behind is named', async () => {
    await expect(joinLocalHost(secure, { settings: { caFile: undefined } })).rejects.toThrow(/not trusted here.*--ca-file.*--ca-pin/)
    const later = { notBefore: new Date(Date.now() + 3_600_000), notAfter: new Date(Date.now() + 7_200_000) }
    await using cluster = await startAgentCluster({ tls: later })
    await expect(joinLocalHost(cluster)).rejects.toThrow(/not valid yet by the clock of this machine.*set the clock/)
  })
})

test('the address of a proxy must be HTTPS unless it is this machine', async () => {
  await expect(joinLocalHost(plain, { origin: 'http://proxy.example.com' })).rejects.toThrow('must be an HTTPS address')
})

test('an agent is back when its proxy was restarted, and what it serves works again', async () => {
  await using cluster = await startAgentCluster()
  await using host = await joinLocalHost(cluster)
  await using _agent = await host.startAgent()
  await host.log.logged('connected')
  await cluster.stopProxy()
  await host.log.logged('disconnected')
  await cluster.startProxyAgain()
  await host.log.logged('connected', 2)
  await useHost(cluster, host.hostId)
})

test('an agent that stops says so: its host cannot be reached from that moment, in clear words', async () => {
  await using host = await joinLocalHost(plain)
  const agent = await host.startAgent()
  await expect.poll(() => plain.proxy().dialer.isConnected(host.hostId)).toBe(true)
  await agent[Symbol.asyncDispose]()
  await expect.poll(() => plain.proxy().dialer.isConnected(host.hostId)).toBe(false)
  await expect(dial(plain, host.hostId)).rejects.toThrow('is not connected; check that its agent is running')
})

test('a copied machine is refused for as long as the first one is connected', async () => {
  await using host = await joinLocalHost(plain)
  await using _agent = await host.startAgent()
  await host.log.logged('connected')
  const copy = await mkdtemp(join(tmpdir(), 'sallyport-copy-'))
  await cp(host.dataDir, copy, { recursive: true })
  const log = createLogLines()
  {
    await using _second = await host.startAgent({ dataDir: copy, log })
    expect(await log.logged('no connection to the proxy; the agent tries again')).toMatchObject({
      reason: expect.stringMatching(/is in use by another agent.*join again/),
    })
  }
  expect(log.lines.some(({ message }) => message === 'connected')).toBe(false)
  await useHost(plain, host.hostId)
  await rm(copy, { recursive: true })
})

test('a lock on a host cuts its tunnel and keeps it out with the reason; lifted, it is back', async () => {
  await using host = await joinLocalHost(plain)
  await using _agent = await host.startAgent()
  await host.log.logged('connected')
  const lock = await plain.proxy().locks.place({ target: { node: host.hostId }, message: 'stolen' }, 'alice')
  await host.log.logged('disconnected')
  expect(await host.log.logged('no connection to the proxy; the agent tries again')).toMatchObject({
    reason: expect.stringContaining('stolen'),
  })
  expect(plain.proxy().dialer.isConnected(host.hostId)).toBe(false)
  await plain.proxy().locks.lift(lock.metadata.name, 'alice')
  await host.log.logged('connected', 2)
})

test('a host certificate that ends soon is renewed over the tunnel, and stays renewed', async () => {
  let offset = 0
  const moving = { now: () => Date.now() + offset }
  await using cluster = await startAgentCluster({ clock: moving })
  await using host = await joinLocalHost(cluster)
  const before = (await host.credentials()).certificateLine()
  {
    await using _agent = await host.startAgent({ clock: moving })
    await host.log.logged('connected')
    await useHost(cluster, host.hostId)
    expect((await host.credentials()).certificateLine()).toBe(before)
  }
  offset = 15 * 24 * 3_600_000
  await using _agent = await host.startAgent({ clock: moving })
  await host.log.logged('connected', 2)
  await expect.poll(async () => (await host.credentials()).certificateLine()).not.toBe(before)
})

test('a host whose certificate is not valid yet, or not any more, by the clock of the proxy is told so and tries again', async () => {
  let offset = 0
  await using cluster = await startAgentCluster({ clock: { now: () => Date.now() + offset } })
  await using host = await joinLocalHost(cluster)
  offset = -24 * 3_600_000
  await using _agent = await host.startAgent()
  expect(await host.log.logged('no connection to the proxy; the agent tries again')).toMatchObject({
    reason: expect.stringMatching(/not valid yet.*compare the clocks/),
  })
  offset = 0
  await host.log.logged('connected')
  offset = 40 * 24 * 3_600_000
  await cluster.stopProxy()
  await cluster.startProxyAgain()
  expect(await host.log.logged('no connection to the proxy; the agent tries again', 2)).toBeDefined()
  await expect
    .poll(() => host.log.lines.map(({ reason }) => String(reason)))
    .toContainEqual(expect.stringMatching(/has expired; join again with a new token/))
})

test('an agent whose clock is off is told by how much', async () => {
  await using host = await joinLocalHost(plain)
  await using _agent = await host.startAgent({ clock: { now: () => Date.now() - 3_600_000 } })
  await host.log.logged('connected')
  expect(host.log.lines.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/clock of this machine is 3\d\d\d seconds behind/),
  )
})

test('a host that changes its name is listed under the new one, and nothing of the old one is left', async () => {
  await using host = await joinLocalHost(plain)
  for (const hostname of ['first-name', 'second-name']) {
    const settings = JSON.parse(await readFile(join(host.dataDir, 'agent.json'), 'utf8')) as object
    const { writeSettings } = await import('@sallyport/agent/settings.ts')
    await writeSettings(host.dataDir, { ...settings, hostname })
    await using _agent = await host.startAgent()
    await expect.poll(() => plain.proxy().inventory.node(host.hostId)?.hostname).toBe(hostname)
  }
  expect(plain.proxy().inventory.resolve('first-name').kind).toBe('none')
  // Hosts of other tests may leave the list meanwhile.
  expect(
    plain
      .proxy()
      .inventory.nodes()
      .filter(({ id, hostname }) => id === host.hostId || hostname === 'first-name'),
  ).toHaveLength(1)
})

describe('forwarding', () => {
  test('reaches only what the administrator of the agent listed', async () => {
    const server = createServer((socket) => socket.end('from behind the agent'))
    // One that nobody else gets when it is closed.
    const port = await freePort()
    await once(server.listen(port, '127.0.0.1'), 'listening')
    const target = `127.0.0.1:${port}`
    await using host = await joinLocalHost(plain, { settings: { forward: [target] } })
    await using _agent = await host.startAgent()
    await expect.poll(() => plain.proxy().dialer.isConnected(host.hostId)).toBe(true)
    const { agentTunnels } = plain.proxy()
    const stream = await agentTunnels.through(host.hostId, target)(signal())
    expect(await text(stream)).toBe('from behind the agent')
    stream.end()
    for (const other of ['127.0.0.1:22', 'localhost:80', '169.254.169.254:80', `${target}0`, 'ssh:22'])
      await expect(agentTunnels.through(host.hostId, other)(signal())).rejects.toMatchObject({
        code: 'connection_problem',
        message: expect.stringContaining('does not forward to that address'),
      })
    await new Promise((resolve) => server.close(resolve))
    await expect(agentTunnels.through(host.hostId, target)(signal())).rejects.toThrow(/cannot be reached from the agent/)
    await expect(async () => agentTunnels.through('no-such-host', target)(signal())).rejects.toMatchObject({ code: 'not_found' })
  })
})

test.skipIf(whyNoProgram('sshd'))('a server with nothing but OpenSSH is reached through the agent that its document names', async () => {
  await using host = await joinLocalHost(plain)
  const { authorities, dialer } = plain.proxy()
  const id = randomUUID()
  const certify = (line: string): string =>
    formatCertificate(authorities.issueHostCertificate({ publicKey: parsePublicKey(line), hostId: id }))
  await using server = await startSshd({ userCa: authorities.userCa.publicLine, certify })
  const target = `${server.host}:${server.port}`
  const { writeSettings, readSettings } = await import('@sallyport/agent/settings.ts')
  await writeSettings(host.dataDir, { ...(await readSettings(host.dataDir)), forward: [target] })
  const document = (spec: object): string =>
    JSON.stringify({
      kind: 'node',
      sub_kind: 'openssh',
      version: 'v2',
      metadata: { name: id },
      spec: { hostname: 'behind', addr: target, ...spec },
    })
  const save = (spec: object) => ask(plain.dataDir, adminCalls.saveResources, { parts: [document(spec)], force: true })
  await expect(save({ via: 'x' })).rejects.toThrow('write the id of a server that has an agent')
  await save({ via: host.hostId })
  await expect(dialer.dial({ hostId: id }, signal())).rejects.toThrow(/the agent that forwards to .* is not connected/)
  const agent = await host.startAgent()
  await expect.poll(() => dialer.isConnected(host.hostId)).toBe(true)
  await useHost(plain, id)
  await agent[Symbol.asyncDispose]()
})

test('a stream that nobody reads keeps no other one waiting', async () => {
  await using host = await joinLocalHost(plain)
  await using _agent = await host.startAgent()
  await host.log.logged('connected')
  await expect.poll(() => plain.proxy().dialer.isConnected(host.hostId)).toBe(true)
  await using stalled = await dial(plain, host.hostId)
  const flood = await stalled.exec('head -c 50000000 /dev/zero')
  await once(flood, 'readable')
  await useHost(plain, host.hostId)
  expect((await buffer(flood)).length).toBe(50_000_000)
})
