/** Servers without an agent, through the real proxy: which identity counts, and what a change of it does. */
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { ask } from '@sallyport/cli/admin-client.ts'
import { formatCertificate, issueCertificate } from '@sallyport/protocols/ssh/certificate.ts'
import { fingerprint, parsePublicKey } from '@sallyport/protocols/ssh/keys.ts'
import { dialSsh } from '@sallyport/proxy/kinds/ssh/dial.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { test as testConnection } from '@sallyport/wire/calls/diagnostics.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { nodes as listNodes } from '@sallyport/wire/calls/nodes.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { joinLocalHost, startAgentCluster } from './cluster-with-agents.ts'
import { ownLogin } from './people.ts'
import { startDropbear } from './targets/dropbear.ts'
import { whyNoProgram } from './targets/programs.ts'
import { startSshd } from './targets/sshd.ts'
import type { Sshd, SshdOptions } from './targets/sshd.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

let world: World
let alice: ApiClient
beforeAll(async () => {
  world = await createWorld({ people: ['alice'] })
  alice = await world.signIn('alice')
})
afterAll(() => world[Symbol.asyncDispose]())

interface Registered {
  id: string
  hostname: string
  document: (changes?: { host_key?: object; addr?: string; via?: string }) => string
}

/** A document for a host; `save` hands it to the proxy as the command line does. */
function describeHost(address: { host: string; port: number }): Registered {
  const id = randomUUID()
  const hostname = `host-${id.slice(0, 8)}`
  const addr = `${address.host}:${address.port}`
  return {
    id,
    hostname,
    document: (changes = {}) =>
      JSON.stringify({
        kind: 'node',
        sub_kind: 'openssh',
        version: 'v2',
        metadata: { name: id, labels: { env: 'test' } },
        spec: { hostname, addr, ...changes },
      }),
  }
}
const save = (content: string, force = true) => ask(world.dataDir, adminCalls.saveResources, { parts: [content], force })
const shown = async (id: string): Promise<string> => {
  const { documents } = await ask(world.dataDir, adminCalls.readResources, { kind: 'node', name: id, withSecrets: false })
  return documents[0]?.content ?? ''
}
/** The step at which a connection stops and why; undefined when it works. */
async function stop(hostname: string): Promise<{ at: string; error: string } | undefined> {
  const { traces = [] } = await alice.call(testConnection, {
    params: { clusterId: world.cluster },
    body: { resource_kind: 'node', resource_name: hostname, ssh_principal: ownLogin },
  })
  const failed = (traces ?? []).find(({ status }) => status === 'FAILED')
  return failed && { at: failed.traceType, error: failed.error ?? '' }
}
const refusedWith = (error: RegExp) => ({ at: 'CONNECTIVITY', error: expect.stringMatching(error) as string })
async function audited(id: string, code: string) {
  const { events } = await alice.call(searchEvents, { params: { clusterId: world.cluster }, query: { limit: 1000, order: 'asc' } })
  return events.filter((event) => event.code === code && event['name'] === id)
}
const sshd = (options: Partial<SshdOptions> = {}): Promise<Sshd> =>
  startSshd({ userCa: world.proxy.authorities.userCa.publicLine, ...options })
const certifyFor =
  (hostId: string) =>
  (line: string): string =>
    formatCertificate(world.proxy.authorities.issueHostCertificate({ publicKey: parsePublicKey(line), hostId }))

describe.skipIf(whyNoProgram('sshd'))('OpenSSH', () => {
  for (const keyType of ['ed25519', 'ecdsa'] as const)
    test(`a host with a certificate of this cluster over an ${keyType} key is reached, by its id or its name`, async () => {
      await using other = await sshd({ keyType, certify: certifyFor('another-host') })
      const host = describeHost(other)
      await save(host.document())
      expect(await stop(host.hostname)).toEqual(refusedWith(/good for another-host, not for/))
      for (const name of [host.id, host.hostname]) {
        await using server = await sshd({ keyType, certify: certifyFor(name) })
        await save(host.document({ addr: `127.0.0.1:${server.port}` }))
        expect(await stop(host.hostname)).toBeUndefined()
      }
    })

  test('a host without a certificate is refused unless its document says otherwise', async () => {
    await using server = await sshd()
    const host = describeHost(server)
    await save(host.document())
    expect(await stop(host.hostname)).toEqual(refusedWith(/showed no host certificate/))
    await save(host.document({ host_key: { trust_on_first_use: false } }))
    expect(await stop(host.hostname)).toEqual(refusedWith(/showed no host certificate/))
  })

  for (const keyType of ['ed25519', 'ecdsa', 'rsa'] as const)
    test(`trusted on first use, the ${keyType} key is pinned in the document; another one is refused from then on`, async () => {
      let port = 0
      const host = await (async () => {
        await using server = await sshd({ keyType })
        port = server.port
        const described = describeHost(server)
        await save(described.document({ host_key: { trust_on_first_use: true } }))
        expect(await stop(described.hostname)).toBeUndefined()
        const pinned = fingerprint(parsePublicKey(server.publicKey))
        expect(await shown(described.id)).toContain(`fingerprint: ${pinned}`)
        expect(await audited(described.id, 'THS02I')).toMatchObject([{ fingerprint: pinned, hostname: described.hostname }])
        // Known by now: nothing is written again.
        expect(await stop(described.hostname)).toBeUndefined()
        expect(await audited(described.id, 'THS02I')).toHaveLength(1)
        return { ...described, pinned }
      })()
      await using impostor = await sshd({ keyType, port })
      const changed = fingerprint(parsePublicKey(impostor.publicKey))
      expect(await stop(host.hostname)).toEqual(refusedWith(/Its key has changed: .* an administrator writes the new one into node\//))
      expect(await audited(host.id, 'THS02W')).toMatchObject([{ fingerprint: changed, expected: host.pinned }])
      expect(await shown(host.id)).toContain(host.pinned)
      await save(host.document({ host_key: { fingerprint: changed } }))
      expect(await stop(host.hostname)).toBeUndefined()
    })

  test('a certificate of another authority counts for nothing; its key can be pinned like a bare one', async () => {
    const other = generateKeyPairSync('ed25519').privateKey
    const day = 24 * 3600
    const now = Math.floor(Date.now() / 1000)
    const certify = (line: string): string =>
      formatCertificate(
        issueCertificate(parsePublicKey(line), other, {
          kind: 'host',
          serial: 1n,
          keyId: 'x',
          principals: ['host'],
          validAfter: now - day,
          validBefore: now + day,
        }),
      )
    await using server = await sshd({ certify })
    const host = describeHost(server)
    await save(host.document())
    expect(await stop(host.hostname)).toEqual(refusedWith(/not a trusted authority/))
    const key = fingerprint(parsePublicKey(server.publicKey))
    await save(host.document({ host_key: { fingerprint: key, type: 'ssh-ed25519' } }))
    expect(await stop(host.hostname)).toBeUndefined()
    await save(host.document({ host_key: { fingerprint: key.replace(/.{4}$/, 'AAAA') } }))
    expect(await stop(host.hostname)).toEqual(refusedWith(/Its key has changed/))
  })

  test('a host behind an agent is reached through it, and only through it', async () => {
    await using cluster = await startAgentCluster()
    const { authorities, dialer } = cluster.proxy()
    await using server = await startSshd({ userCa: authorities.userCa.publicLine })
    await using jump = await joinLocalHost(cluster, { settings: { forward: [`127.0.0.1:${server.port}`] } })
    const host = describeHost(server)
    const host_key = { fingerprint: fingerprint(parsePublicKey(server.publicKey)) }
    const content = host.document({ host_key, via: jump.hostId })
    await ask(cluster.dataDir, adminCalls.saveResources, { parts: [content], force: false })
    const dial = () => {
      const signal = AbortSignal.timeout(20_000)
      return dialSsh({ dialer, authorities, clock: { now: () => Date.now() }, hostId: host.id, login: ownLogin, keyId: 'alice', signal })
    }
    await expect(dial()).rejects.toThrow(/is not connected/)
    {
      await using _agent = await jump.startAgent()
      await expect.poll(() => dialer.isConnected(jump.hostId)).toBe(true)
      await using connection = await dial()
      const command = await connection.exec('echo $((6 * 7))')
      command.end()
      expect(await text(command)).toBe('42\n')
    }
    await expect.poll(() => dialer.isConnected(jump.hostId)).toBe(false)
    await expect(dial()).rejects.toThrow(/is not connected/)
  })

  test('two first connections at once pin one key', async () => {
    await using server = await sshd()
    const host = describeHost(server)
    await save(host.document({ host_key: { trust_on_first_use: true } }))
    expect(await Promise.all([stop(host.hostname), stop(host.hostname)])).toEqual([undefined, undefined])
    expect(await shown(host.id)).toContain(fingerprint(parsePublicKey(server.publicKey)))
  })

  test('the document is the node: listed with its labels, moved, refused when wrong, gone with it', async () => {
    await using server = await sshd()
    const host = describeHost(server)
    const key = { fingerprint: fingerprint(parsePublicKey(server.publicKey)) }
    const listed = async () => (await alice.call(listNodes, { params: { clusterId: world.cluster }, query: { search: host.id } })).items
    await save(host.document({ host_key: key }), false)
    expect(await listed()).toMatchObject([
      {
        id: host.id,
        hostname: host.hostname,
        addr: `127.0.0.1:${server.port}`,
        subKind: 'openssh',
        tunnel: false,
        tags: [{ name: 'env', value: 'test' }],
      },
    ])
    await expect(save(host.document(), false)).rejects.toThrow('exists already')
    expect(await shown(host.id)).toContain('sub_kind: openssh')
    for (const [content, message] of [
      [host.document({ addr: 'no port' }), 'write it as host:port'],
      [host.document({ addr: 'user@host:22' }), 'write it as host:port'],
      [host.document({ host_key: { fingerprint: 'MD5:aa' } }), 'as ssh-keygen -l prints it'],
      [host.document().replace(host.id, 'web'), 'write a new UUID'],
      [host.document().replace(host.id, world.agentId), 'a server with an agent has the id'],
      [host.document().replace('"openssh"', '"teleport"'), 'join with their agent'],
    ] as const)
      await expect(save(content)).rejects.toThrow(message)
    await ask(world.dataDir, adminCalls.removeResource, { kind: 'node', name: host.id })
    expect(await listed()).toEqual([])
    expect(await stop(host.hostname)).toMatchObject({ at: 'RBAC_NODE' })
    expect(await audited(host.id, 'THS00I')).toHaveLength(1)
    expect(await audited(host.id, 'THS01I')).toHaveLength(1)
  })
})

test.skipIf(whyNoProgram('dropbear'))('dropbear: its key can be pinned, but it takes no certificate as a login', async () => {
  await using server = await startDropbear()
  const host = describeHost(server)
  await save(host.document())
  expect(await stop(host.hostname)).toEqual(refusedWith(/showed no host certificate/))
  await save(host.document({ host_key: { trust_on_first_use: true } }))
  expect(await stop(host.hostname)).toEqual({
    at: 'NODE_PRINCIPAL',
    error: expect.stringContaining('the server trusts this cluster') as string,
  })
  expect(await audited(host.id, 'THS02I')).toHaveLength(1)
})
