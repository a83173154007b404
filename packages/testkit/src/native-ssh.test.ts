/** OpenSSH's own client through the proxy, to the agent and to an OpenSSH server. */
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { issueCertificate } from '@sallyport/protocols/ssh/certificate.ts'
import type { Certificate, CertificateSpec } from '@sallyport/protocols/ssh/certificate.ts'
import { encodePublicKey, signSsh } from '@sallyport/protocols/ssh/keys.ts'
import { encodeString } from '@sallyport/protocols/ssh/wire.ts'
import type { Authority } from '@sallyport/proxy/core/authorities/authorities.ts'
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
  world = await createWorld({ people: ['alice', 'bob'] })
  alice = await world.signIn('alice')
})
afterAll(() => world[Symbol.asyncDispose]())

const audited = async (...codes: string[]): Promise<AuditEventWire[]> => {
  const { events } = await alice.call(searchEvents, { params: { clusterId: world.cluster }, query: { limit: 2000 } })
  return events.filter(({ code }) => codes.includes(code ?? ''))
}
const hosts = [agentHostname, ...(whyNoProgram('sshd') ? [] : [sshdHostname])]

describe.skipIf(whyNoProgram('ssh'))('ssh', () => {
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
  const spec = { kind: 'user', serial: 1n, keyId: 'alice', principals: [ownLogin], validAfter: now - 60, validBefore: now + 60 } as const
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
      nested: { certify: (key) => nested(key, authorities.peopleCa, spec) },
      'nobody here': { user: 'mallory' },
    }
    for (const [what, options] of Object.entries(certificates)) expect(await refused(options), what).toContain('Permission denied')
    expect((await audited('T3007W')).map(({ error }) => String(error))).toEqual(
      expect.arrayContaining([
        expect.stringContaining('expired'),
        expect.stringContaining('not a trusted authority'),
        expect.stringContaining('signed by a certificate'),
        expect.stringContaining('no user mallory'),
      ]),
    )
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
