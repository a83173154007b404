import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parsePublicKey } from '@sallyport/protocols/ssh/keys.ts'
import { verifyCertificate } from '@sallyport/protocols/ssh/verify-certificate.ts'
import { expect, onTestFinished, test } from 'vitest'
import { openAuthorities, openStoredAuthorities } from './authorities.ts'
import { authorityRecordSchema } from './authority-store.ts'
import type { AuthorityRecord, AuthorityStore } from './authority-store.ts'
import { createMasterKey } from './master-key.ts'

const clock = { now: () => Date.UTC(2026, 10, 21) }

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), 'sallyport-authorities-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return join(path, 'keys')
}

test('authorities are made at the first start and are the same at the next', async () => {
  const path = directory()
  const first = await openAuthorities(path, clock)
  const second = await openAuthorities(path, clock)
  expect(second.userCa.publicLine).toBe(first.userCa.publicLine)
  expect(second.hostCa.publicLine).toBe(first.hostCa.publicLine)
  expect(first.userCa.publicLine).not.toBe(first.hostCa.publicLine)
  expect(
    parsePublicKey(first.userCa.publicLine).equals(first.userCa.trusted[0] ?? createPublicKey(generateKeyPairSync('ed25519').privateKey)),
  ).toBe(true)
})

test('two processes that start at once agree on the same authorities', async () => {
  const path = directory()
  const all = await Promise.all(Array.from({ length: 8 }, () => openAuthorities(path, clock)))
  expect(new Set(all.map(({ userCa }) => userCa.publicLine)).size).toBe(1)
  expect(readdirSync(path).toSorted()).toEqual([
    'cluster-authority.json',
    'host-authority.json',
    'master.key',
    'people-authority.json',
    'user-authority.json',
  ])
})

test('no private key lies on the disk in clear, and nobody else may read the files', async () => {
  const path = directory()
  await openAuthorities(path, clock)
  expect(statSync(path).mode & 0o777).toBe(0o700)
  for (const file of readdirSync(path)) expect(statSync(join(path, file)).mode & 0o777).toBe(0o600)
  const record = authorityRecordSchema.parse(JSON.parse(readFileSync(join(path, 'user-authority.json'), 'utf8')))
  // An ed25519 key in PKCS #8 begins with these bytes.
  expect(Buffer.from(record.keys[0]?.sealedPrivateKey ?? '', 'base64').includes(Buffer.from('302e020100300506032b6570', 'hex'))).toBe(false)
})

test('a user certificate is good for its logins, from a minute before now until its end', async () => {
  const { userCa, issueUserCertificate } = await openAuthorities(directory(), clock)
  const { privateKey, certificate } = issueUserCertificate({
    keyId: 'alice',
    principals: ['root'],
    ttlSeconds: 60,
    sourceAddress: '10.0.0.0/8',
  })
  const expected = { kind: 'user' as const, trusted: userCa.trusted, principals: ['root'], now: clock.now(), sourceAddress: '10.1.1.1' }
  verifyCertificate(certificate, expected)
  expect(certificate.publicKey.equals(createPublicKey(privateKey))).toBe(true)
  expect(certificate.extensions.has('permit-pty')).toBe(true)
  expect(() => verifyCertificate(certificate, { ...expected, now: clock.now() + 60_000 })).toThrow('expired')
  expect(() => verifyCertificate(certificate, { ...expected, now: clock.now() - 61_000 })).toThrow('not valid yet')
  expect(() => verifyCertificate(certificate, { ...expected, kind: 'host' })).toThrow('user certificate where a host certificate')
})

test('a host certificate names the host, and a user authority does not vouch for hosts', async () => {
  const { userCa, hostCa, issueHostCertificate } = await openAuthorities(directory(), clock)
  const certificate = issueHostCertificate({ publicKey: generateKeyPairSync('ed25519').publicKey, hostId: 'id', names: ['web-1', 'id'] })
  expect(certificate.principals).toEqual(['id', 'web-1'])
  verifyCertificate(certificate, { kind: 'host', trusted: hostCa.trusted, principals: ['web-1'], now: clock.now() })
  expect(() => verifyCertificate(certificate, { kind: 'host', trusted: userCa.trusted, principals: ['web-1'], now: clock.now() })).toThrow(
    'not a trusted authority',
  )
})

test('while keys are rotated both count and the first signs', async () => {
  const records = new Map<string, AuthorityRecord>()
  const store: AuthorityStore = {
    load: (kind) => Promise.resolve(records.get(kind)),
    create: (kind, record) => Promise.resolve(!records.has(kind) && records.set(kind, record) !== undefined),
  }
  const masterKey = createMasterKey(Buffer.alloc(32, 1))
  await openStoredAuthorities({ store, masterKey, clock })
  const old = records.get('user')
  records.delete('user')
  await openStoredAuthorities({ store, masterKey, clock })
  const next = records.get('user')
  expect.assert(old && next)
  records.set('user', { ...next, keys: [...next.keys, ...old.keys] })
  const { userCa } = await openStoredAuthorities({ store, masterKey, clock })
  expect(userCa.trusted).toHaveLength(2)
  expect(userCa.publicLine).toContain(next.keys[0]?.publicKey)
  await expect(openStoredAuthorities({ store, masterKey: createMasterKey(Buffer.alloc(32, 2)), clock })).rejects.toThrow(
    'cannot be opened with this master key',
  )
})

test.each<[string, (path: string) => void, RegExp]>([
  ['a key file that others may read', (path) => chmodSync(join(path, 'master.key'), 0o644), /can be read by other users.*chmod 600/u],
  ['a key file cut short', (path) => writeFileSync(join(path, 'master.key'), 'AAAA'), /master\.key is damaged/u],
  [
    'another key file',
    (path) => writeFileSync(join(path, 'master.key'), Buffer.alloc(32).toString('base64')),
    /cannot be opened with this master key/u,
  ],
  ['a damaged authority', (path) => writeFileSync(join(path, 'user-authority.json'), '{'), /user-authority\.json is damaged/u],
  [
    'authorities swapped',
    (path) => writeFileSync(join(path, 'user-authority.json'), readFileSync(join(path, 'host-authority.json'))),
    /user-authority\.json is damaged/u,
  ],
])('%s is refused with what to do, and nothing is overwritten', async (_name, damage, message) => {
  const path = directory()
  await openAuthorities(path, clock)
  damage(path)
  const before = readdirSync(path).map((file) => readFileSync(join(path, file), 'utf8'))
  await expect(openAuthorities(path, clock)).rejects.toThrow(message)
  expect(existsSync(path) && readdirSync(path).map((file) => readFileSync(join(path, file), 'utf8'))).toEqual(before)
})

test('what is sealed opens only whole, under its key and its label', () => {
  const key = createMasterKey(Buffer.alloc(32, 1))
  const sealed = key.seal(Buffer.from('secret'), 'label')
  expect(key.open(sealed, 'label').toString()).toBe('secret')
  expect(key.seal(Buffer.from('secret'), 'label')).not.toBe(sealed)
  expect(() => key.open(sealed, 'other')).toThrow()
  expect(() => createMasterKey(Buffer.alloc(32, 2)).open(sealed, 'label')).toThrow()
  const bytes = Buffer.from(sealed, 'base64')
  for (let at = 0; at < bytes.length; at++) {
    const flipped = Buffer.from(bytes)
    flipped.writeUInt8(flipped.readUInt8(at) ^ 1, at)
    expect(() => key.open(flipped.toString('base64'), 'label')).toThrow()
    expect(() => key.open(bytes.subarray(0, at).toString('base64'), 'label')).toThrow()
  }
})
