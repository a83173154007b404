import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { formatPublicKey } from '@sallyport/protocols/ssh/keys.ts'
import { deviceStatement } from '@sallyport/wire/device-trust.ts'
import type { DeviceRequest } from '@sallyport/wire/device-trust.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccessChecker } from '../access/checker.ts'
import { roleKind } from '../access/role.ts'
import type { CertificateRequest } from '../certificates.ts'
import { createChangeFeed } from '../resources/change-feed.ts'
import { createResourceStore, parseResource } from '../resources/resources.ts'
import { createLog } from '../log.ts'
import { createDeviceCeremony } from './ceremony.ts'
import type { DeviceCeremony, Prover } from './ceremony.ts'
import { deviceKind } from './device.ts'
import type { DeviceStore } from './device.ts'
import { createDevices } from './devices.ts'
import type { Devices } from './devices.ts'

let api: ProxyApi
let store: DeviceStore
let devices: Devices
let ceremony: DeviceCeremony
const issued: CertificateRequest[] = []
beforeAll(async () => {
  api = await openProxyApi()
  await api.invite('bob')
  const { db, audit, clock, people } = api.context
  const feed = createChangeFeed()
  store = createResourceStore(deviceKind, { db, feed, clock })
  devices = createDevices({ store, feed, audit, clock, log: createLog('silent') })
  const certificates = {
    issue(request: CertificateRequest) {
      issued.push(request)
      return Promise.resolve({ username: request.person.name, cert: '', tls_cert: '', host_signers: [] })
    },
  }
  ceremony = createDeviceCeremony({ store, certificates, people, audit, clock, clusterName: 'sallyport' })
})
afterAll(async () => {
  devices[Symbol.dispose]()
  await api[Symbol.asyncDispose]()
})

const enrolls = parseResource(roleKind, {
  metadata: { name: 'enrolls' },
  spec: { allow: { rules: [{ resources: ['device'], verbs: ['enroll'] }] } },
})
const own = generateKeyPairSync('ed25519').publicKey
const proverOf = (username: string, roles = [enrolls]): Prover => ({
  username,
  access: createAccessChecker({ username, roles, traits: {} }),
  mfaDevice: 'mfa-1',
  publicKey: own,
  isConfirmed: false,
  expires: api.clock.now() + 3_600_000,
  ip: '10.0.0.1',
})
const newKey = () =>
  generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
type Key = ReturnType<typeof newKey>

async function run(request: DeviceRequest, key: Key, { prover = proverOf('bob'), cluster = 'sallyport', signed = own } = {}) {
  const { challenge, finish } = await ceremony.begin(request, prover)
  const statement = deviceStatement(request.do, { cluster, key: formatPublicKey(signed), challenge })
  return finish(sign('sha256', Buffer.from(statement), key.privateKey))
}
const registered = async (): Promise<string> => (await devices.add({ os_type: 'linux', asset_tag: randomUUID() }, 'alice')).metadata.name
const enroll = (token: string, key: Key, more: Parameters<typeof run>[2] = {}) =>
  run({ do: 'enroll', token, publicKey: key.publicKey }, key, more)
async function enrolled(key: Key): Promise<string> {
  const id = await registered()
  await enroll((await devices.createToken(id, 'alice')).token, key)
  return id
}

test('a proof brings certificates for the same key and no longer life, which name the device', async () => {
  const key = newKey()
  const id = await enrolled(key)
  await run({ do: 'authenticate', device: id }, key)
  const request = issued.at(-1)
  expect(request).toMatchObject({
    person: { name: 'bob' },
    deviceId: 'mfa-1',
    isKeyProof: false,
    publicKey: own,
    requests: [],
    trustedDevice: { id },
  })
  expect(request?.ttl).toBeLessThanOrEqual(3_600_000)
  expect(await devices.known(request?.trustedDevice?.proved, 'bob')).toMatchObject({ id })
  expect(await devices.known(request?.trustedDevice?.proved, 'carol')).toBeUndefined()
})

test('a token is good once, until it is replaced, for half an hour; and for who may enroll', async () => {
  const id = await registered()
  const first = await devices.createToken(id, 'alice')
  const second = await devices.createToken(id, 'alice')
  await expect(enroll(first.token, newKey())).rejects.toThrow('was used, replaced or has expired')
  await expect(enroll(second.token, newKey(), { prover: proverOf('bob', []) })).rejects.toThrow(
    'access denied to perform action "enroll" on "device"',
  )
  api.clock.advance(30 * 60_000)
  await expect(enroll(second.token, newKey())).rejects.toThrow('has expired')
  const third = await devices.createToken(id, 'alice')
  await enroll(third.token, newKey())
  await expect(enroll(third.token, newKey())).rejects.toThrow('was used')
})

test('of two who use a token at once one gets the device', async () => {
  const id = await registered()
  const { token } = await devices.createToken(id, 'alice')
  const both = await Promise.allSettled([enroll(token, newKey()), enroll(token, newKey(), { prover: proverOf('carol') })])
  expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})

test('what was signed for another act, cluster or person, or with another key, proves nothing', async () => {
  const key = newKey()
  const id = await enrolled(key)
  const prove = { do: 'authenticate', device: id } as const
  const count = issued.length
  await expect(run(prove, newKey())).rejects.toThrow('did not prove')
  await expect(run(prove, key, { cluster: 'elsewhere' })).rejects.toThrow('did not prove')
  await expect(run(prove, key, { signed: generateKeyPairSync('ed25519').publicKey })).rejects.toThrow('did not prove')
  const { challenge, finish } = await ceremony.begin(prove, proverOf('bob'))
  const other = deviceStatement('enroll', { cluster: 'sallyport', key: formatPublicKey(own), challenge })
  await expect(finish(sign('sha256', Buffer.from(other), key.privateKey))).rejects.toThrow('did not prove')
  await expect(finish(Buffer.from('no signature'))).rejects.toThrow('did not prove')
  await expect(run(prove, key, { prover: proverOf('carol') })).rejects.toThrow('not enrolled for you')
  expect(issued).toHaveLength(count)
  expect(await api.events('TV006I')).toContainEqual(expect.objectContaining({ user: 'carol', success: false }))
})

test('a key is one device’s, and over P-256', async () => {
  const key = newKey()
  await enrolled(key)
  const { token } = await devices.createToken(await registered(), 'alice')
  await expect(enroll(token, key)).rejects.toThrow('belongs to another device')
  const { publicKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-384',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  await expect(ceremony.begin({ do: 'enroll', token, publicKey }, proverOf('bob'))).rejects.toThrow('P-256')
})

test('a device that enrolls anew, or is removed, is no more what older certificates name; whoever watches hears it once', async () => {
  const id = await enrolled(newKey())
  const key = newKey()
  await enroll((await devices.createToken(id, 'alice')).token, key)
  await run({ do: 'authenticate', device: id }, key)
  const device = issued.at(-1)?.trustedDevice
  if (!device) throw new Error('the certificate names no device')
  const gone = Promise.withResolvers<void>()
  devices.watch(device, gone.resolve)
  // Being seen, or a token that nobody has used, changes nothing.
  await run({ do: 'authenticate', device: id }, key)
  const { token } = await devices.createToken(id, 'alice')
  expect(await devices.known(device.proved, 'bob')).toBeDefined()
  await enroll(token, newKey())
  await gone.promise
  expect(await devices.known(device.proved, 'bob')).toBeUndefined()
  const late = Promise.withResolvers<void>()
  devices.watch(device, late.resolve)
  await late.promise
  expect(await devices.known('nonsense', 'bob')).toBeUndefined()
  expect(await devices.known(undefined, 'bob')).toBeUndefined()
})
