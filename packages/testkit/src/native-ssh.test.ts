/** OpenSSH's own client through the proxy, to the agent and to an OpenSSH server. */
import { createHash, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { createConnection } from 'node:net'
import { text } from 'node:stream/consumers'
import { issueCertificate } from '@sallyport/protocols/ssh/certificate.ts'
import type { Certificate, CertificateSpec } from '@sallyport/protocols/ssh/certificate.ts'
import { encodePublicKey, signSsh } from '@sallyport/protocols/ssh/keys.ts'
import { encodeString } from '@sallyport/protocols/ssh/wire.ts'
import type { Authority } from '@sallyport/proxy/core/authorities/authorities.ts'
import { connectSsh } from '@sallyport/proxy/kinds/ssh/client.ts'
import type { SshConnection } from '@sallyport/proxy/kinds/ssh/client.ts'
import type { SshIdentity } from '@sallyport/proxy/kinds/ssh/ssh2-certificates.ts'
import type { AuditEventWire } from '@sallyport/wire/audit/event.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { NativeClient } from './native-client.ts'
import type { NativeClientOptions } from './native-client.ts'
import { ownLogin } from './people.ts'
import { whyNoProgram } from './targets/programs.ts'
import { agentHostname, createWorld, sshdHostname } from './world.ts'
import type { World } from './world.ts'

let world: World
let alice: ApiClient
beforeAll(async () => {
  world = await createWorld({ people: ['alice', 'bob', 'carol'] })
  alice = await world.signIn('alice')
})
afterAll(() => world[Symbol.asyncDispose]())

const audited = async (...codes: string[]): Promise<AuditEventWire[]> => {
  const { events } = await alice.call(searchEvents, { params: { clusterId: world.cluster }, query: { limit: 2000 } })
  return events.filter(({ code }) => codes.includes(code ?? ''))
}
const hosts = [agentHostname, ...(whyNoProgram('sshd') ? [] : [sshdHostname])]

describe.skipIf(whyNoProgram('ssh'))('ssh', () => {
  test('the cipher is GCM, outside and inside, whatever OpenSSH puts first', async () => {
    await using client = await NativeClient.create(world)
    const { err } = await client.ssh(['-v', agentHostname, 'true'])
    const chosen = 'server->client cipher: aes128-gcm@openssh.com'
    expect(err.match(/server->client cipher: \S+/g)).toEqual([chosen, chosen])
  })

  for (const host of hosts) {
    test(`R8-045: a command on ${host}: output, errors and status as they are, with its events`, async () => {
      await using client = await NativeClient.create(world)
      const command = `printf 'out\\n'; printf 'err\\n' >&2; exit 7 # ${host}`
      expect(await client.ssh([host, command])).toMatchObject({ code: 7, out: Buffer.from('out\n'), err: 'err\n' })
      expect((await client.ssh([host, `true # ${host}`])).code).toBe(0)
      const mine = (await audited('T2000I', 'T3002I', 'T3002E', 'T2004I')).filter((event) =>
        String(event['command'] ?? event['initial_command']).includes(host),
      )
      expect(mine.map(({ code }) => code).toSorted()).toEqual(['T2000I', 'T2000I', 'T2004I', 'T2004I', 'T3002E', 'T3002I'])
      const of = (code: string): unknown => mine.find((event) => event.code === code)
      expect(of('T3002E')).toMatchObject({
        user: 'alice',
        login: ownLogin,
        command,
        exitCode: '7',
        exitError: 'exit status 7',
        server_hostname: host,
      })
      expect(of('T3002I')).toMatchObject({ command: `true # ${host}`, exitCode: '0' })
      expect(of('T2004I')).toMatchObject({ interactive: false, participants: ['alice'], enhanced_recording: false })
    })

    test(`50 MB go through a command on ${host} and come back, every byte`, async () => {
      await using client = await NativeClient.create(world)
      const sent = randomBytes(50_000_000)
      const { code, out } = await client.ssh([host, 'cat; echo done >&2'], sent)
      expect(code).toBe(0)
      expect(createHash('sha256').update(out).digest('hex')).toBe(createHash('sha256').update(sent).digest('hex'))
    })

    test(`a command on ${host} that is killed tells so, and keys are exchanged anew without a loss`, async () => {
      await using client = await NativeClient.create(world, { lines: ['RekeyLimit 1M'] })
      expect((await client.ssh([host, 'kill -9 $$'])).code).toBe(255)
      const { code, out } = await client.ssh([host, 'head -c 8000000 /dev/zero; cat'], Buffer.alloc(8_000_000))
      expect({ code, length: out.length }).toEqual({ code: 0, length: 16_000_000 })
    })

    test(`a shell without a terminal on ${host} reads its commands from the input`, async () => {
      await using client = await NativeClient.create(world)
      expect(await client.ssh(['-T', host], 'echo $((40 + 2)); exit 3\n')).toMatchObject({ code: 3, out: Buffer.from('42\n') })
    })
  }

  test('a client that goes away takes its command along', async () => {
    await using client = await NativeClient.create(world)
    const child = client.start('ssh', [agentHostname, 'echo here; exec cat # goes-away'])
    if (!child.stdout) throw new Error('no output')
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await expect
      .poll(() => audited('T3002E').then((events) => events.filter((event) => String(event['command']).includes('goes-away'))))
      .toHaveLength(1)
  })

  test('only variables of language and colours reach the server', async () => {
    await using client = await NativeClient.create(world, {
      lines: ['SetEnv LC_TIME=C LD_PRELOAD=/tmp/evil.so BASH_ENV=/tmp/evil.sh COLORTERM=truecolor'],
    })
    const { out } = await client.ssh([agentHostname, 'env'])
    expect(out.toString()).toContain('LC_TIME=C\n')
    expect(out.toString()).toContain('COLORTERM=truecolor')
    expect(out.toString()).not.toContain('evil')
  })
})

describe.skipIf(whyNoProgram('ssh'))('who is refused', () => {
  const now = Math.floor(Date.now() / 1000)
  const spec = { kind: 'user', serial: 1n, keyId: 'alice', principals: [ownLogin], validAfter: now - 60, validBefore: now + 3600 } as const
  const refused = async (options: NativeClientOptions): Promise<string> => {
    await using client = await NativeClient.create(world, options)
    const { code, out, err } = await client.ssh([agentHostname, 'echo in'])
    expect(out.toString()).toBe('')
    expect(code).toBe(255)
    return err
  }

  test('an expired certificate, one of a foreign authority, of the wrong kind, of a nested authority, and one for somebody who is gone', async () => {
    const foreign = generateKeyPairSync('ed25519').privateKey
    const { authorities } = world.proxy
    const certificates: Record<string, NativeClientOptions> = {
      expired: { ttlSeconds: -1 },
      foreign: { certify: (key) => issueCertificate(key, foreign, spec) },
      'a host': { certify: (publicKey) => authorities.issueHostCertificate({ publicKey, hostId: ownLogin }) },
      "of the proxy's own logins": { certify: (key) => authorities.userCa.sign(key, spec) },
      'nobody here': { user: 'mallory' },
    }
    for (const [what, options] of Object.entries(certificates)) expect(await refused(options), what).toContain('Permission denied')
    expect((await audited('T3007W')).map(({ error }) => String(error))).toEqual(
      expect.arrayContaining([
        expect.stringContaining('expired'),
        expect.stringContaining('not a trusted authority'),
        expect.stringContaining('no user mallory'),
      ]),
    )
  })

  /** Straight to the port, with a client that does as it is told. */
  const connect = (identity: SshIdentity): Promise<SshConnection> => {
    const { host, port } = world.proxy.address
    return connectSsh({
      stream: createConnection({ host, port }),
      user: 'anybody',
      identity,
      verifyHost: { trustedCas: world.proxy.authorities.hostCa.trusted, names: [world.cluster] },
      clock: { now: () => Date.now() },
      signal: AbortSignal.timeout(10_000),
    })
  }

  test('CVE-2025-49825: a certificate whose authority is only certified by the real one', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    await expect(connect({ privateKey, certificate: nested(publicKey, world.proxy.authorities.peopleCa, spec) })).rejects.toThrow(
      'does not let',
    )
    await expect
      .poll(async () => (await audited('T3007W')).map(({ error }) => error))
      .toContainEqual(expect.stringContaining('signed by a certificate'))
  })

  test('GHSA-hw4x-mcx5-9q36, GHSA-c9v7-wmwj-vf6x: nothing but registered servers is reached through the proxy, and nothing runs on it', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    await using outer = await connect({ privateKey, certificate: world.proxy.authorities.peopleCa.sign(publicKey, spec) })
    const from = { originHost: '127.0.0.1', originPort: 1 }
    const { host, port } = world.proxy.address
    for (const [what, to] of Object.entries({
      'the proxy itself': { host, port },
      'a host beside it': { host: '127.0.0.1', port: 22 },
      'a name of nothing': { host: 'nowhere.example', port: 22 },
      'another id': { host: randomUUID(), port: 22 },
      'another port of a server': { host: agentHostname, port: 5432 },
    }))
      await expect(outer.forward({ ...to, ...from }), what).rejects.toThrow(/is not registered here|not found|only SSH goes through/)
    const shell = await outer.exec('id')
    shell.resume()
    expect(await text(shell.stderr)).toContain('there is no shell here')
    expect(await shell.exit).toMatchObject({ code: 1 })
    await expect(outer.subsystem('sftp')).rejects.toThrow('did not open')
    expect((await audited('T1006W')).map((event) => event['server_id'])).toEqual(expect.arrayContaining(['nowhere.example', '127.0.0.1']))
  })

  test('a login that the certificate or the roles do not have, and a server that the roles do not show', async () => {
    await using client = await NativeClient.create(world, {
      certify: (key) => world.proxy.authorities.peopleCa.sign(key, { ...spec, principals: [ownLogin, 'stranger'] }),
    })
    expect(await client.ssh([`nobody@${agentHostname}`, 'true'])).toMatchObject({
      code: 255,
      err: expect.stringContaining('Permission denied'),
    })
    expect(await client.ssh([`stranger@${agentHostname}`, 'true'])).toMatchObject({
      code: 255,
      err: expect.stringContaining('No role allows the login "stranger" on it.'),
    })
    await using dan = await NativeClient.create(world, { user: 'carol' })
    expect(await dan.ssh([agentHostname, 'true'])).toMatchObject({
      code: 255,
      err: expect.stringContaining('is not registered here or you have no access to it'),
    })
  })
})

describe.skipIf(whyNoProgram('ssh'))('floods', () => {
  test('GHSA-78rf-vg74-7cr8: clients that stop in the middle of signing in are bounded, and keep neither the console nor others out', async () => {
    const { host, port } = world.proxy.address
    const sockets = Array.from({ length: 80 }, () => createConnection({ host, port }))
    let refused = 0
    for (const socket of sockets)
      socket
        .on('error', () => undefined)
        .once('connect', () => socket.write('SSH-2.0-stalls\r\n'))
        .once('close', () => (refused += 1))
        .resume()
    // Of 80 there is room for 64, less whoever is still on the way out.
    await expect.poll(() => refused).toBeGreaterThanOrEqual(16)
    await audited('T2000I')
    for (const socket of sockets) socket.destroy()
    await using client = await NativeClient.create(world)
    await expect.poll(async () => (await client.ssh([agentHostname, 'true'])).code).toBe(0)
  })

  test('a client that reads nothing holds its command back, and nobody else', async () => {
    await using client = await NativeClient.create(world)
    const child = client.start('ssh', [agentHostname, 'head -c 200000000 /dev/zero; echo $$ # stalled'])
    await once(child.stdout ?? child, 'readable')
    expect((await client.ssh([agentHostname, 'echo free'])).out.toString()).toBe('free\n')
    expect((await audited('T3002I')).filter((event) => String(event['command']).includes('stalled'))).toEqual([])
    child.kill('SIGKILL')
    await expect.poll(async () => (await audited('T3002E')).filter((event) => String(event['command']).includes('stalled'))).toHaveLength(1)
  })
})

/** A certificate whose authority is itself certified by the real one: it must count for nothing. */
function nested(publicKey: KeyObject, real: Authority, spec: Omit<CertificateSpec, 'kind'>): Certificate {
  const { privateKey } = generateKeyPairSync('ed25519')
  const plain = issueCertificate(publicKey, privateKey, { ...spec, kind: 'user' })
  const authority = real.sign(privateKey, spec).blob
  const signed = Buffer.concat([
    plain.signed.subarray(0, plain.signed.length - encodeString(encodePublicKey(privateKey)).length),
    encodeString(authority),
  ])
  return { ...plain, blob: Buffer.concat([signed, encodeString(signSsh(privateKey, signed))]) }
}
