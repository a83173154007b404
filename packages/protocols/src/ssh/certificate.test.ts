import { generateKeyPairSync } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ProtocolError } from '../protocol-error.ts'
import { issueCertificate, parseCertificate } from './certificate.ts'
import type { CertificateSpec } from './certificate.ts'
import { encodePublicKey } from './keys.ts'
import { CertificateRefused, verifyCertificate } from './verify-certificate.ts'
import type { CertificateExpectation } from './verify-certificate.ts'
import { encodeString, SshReader } from './wire.ts'

const now = Date.UTC(2026, 10, 21)
const seconds = now / 1000
const newKey = {
  ed25519: () => generateKeyPairSync('ed25519').privateKey,
  ecdsa: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
  rsa: () => generateKeyPairSync('rsa', { modulusLength: 3072 }).privateKey,
}
const authorities: Record<string, KeyObject> = { ed25519: newKey.ed25519(), ecdsa: newKey.ecdsa(), rsa: newKey.rsa() }
const authority = newKey.ed25519()
const subject = newKey.ed25519()
const spec: CertificateSpec = {
  kind: 'user',
  serial: 7n,
  keyId: 'alice session 1',
  principals: ['root', 'ubuntu'],
  validAfter: seconds - 60,
  validBefore: seconds + 60,
  extensions: { 'permit-pty': '', 'roles@sallyport': 'access,editor' },
}
const expected: CertificateExpectation = { kind: 'user', trusted: [authority], principals: ['root'], now }

function refusal(run: () => void): string {
  try {
    run()
  } catch (error) {
    if (error instanceof CertificateRefused || error instanceof ProtocolError) return error.code
    throw error
  }
  return 'accepted'
}

describe.each(Object.entries(authorities))('authority %s', (_name, ca) => {
  test.each(['ed25519', 'ecdsa'] as const)('a certificate for an %s key is issued, read back and verified', (type) => {
    const key = newKey[type]()
    const certificate = parseCertificate(issueCertificate(key, ca, spec).blob)
    expect(certificate).toMatchObject({ kind: 'user', serial: 7n, keyId: spec.keyId, principals: spec.principals })
    expect(Object.fromEntries(certificate.extensions)).toEqual(spec.extensions)
    expect(encodePublicKey(certificate.publicKey)).toEqual(encodePublicKey(key))
    expect(refusal(() => verifyCertificate(certificate, { ...expected, trusted: [authority, ca] }))).toBe('accepted')
    expect(refusal(() => verifyCertificate(certificate, expected))).toBe('untrusted-authority')
  })

  test('no flipped byte is accepted', () => {
    const { blob } = issueCertificate(subject, ca, spec)
    for (let at = 0; at < blob.length; at++) {
      const flipped = Buffer.from(blob)
      flipped.writeUInt8(flipped.readUInt8(at) ^ (1 << (at % 8)), at)
      expect(refusal(() => verifyCertificate(parseCertificate(flipped), { ...expected, trusted: [ca] }))).not.toBe('accepted')
    }
  })
})

test.each<[string, Partial<CertificateSpec>, Partial<CertificateExpectation>]>([
  ['wrong-kind', { kind: 'host' }, {}],
  ['wrong-kind', {}, { kind: 'host' }],
  ['expired', { validBefore: seconds }, {}],
  ['not-yet-valid', { validAfter: seconds + 1 }, {}],
  ['principal-missing', {}, { principals: ['Root'] }],
  ['principal-missing', {}, { principals: [] }],
  ['unknown-critical-option', { criticalOptions: { 'verify-required': '' } }, {}],
  ['source-address', { criticalOptions: { 'source-address': '10.0.0.0/8' } }, { sourceAddress: '192.168.1.1' }],
  ['source-address', { criticalOptions: { 'source-address': '10.0.0.0/8' } }, {}],
  ['ssh/malformed', { criticalOptions: { 'source-address': 'anywhere' } }, { sourceAddress: '10.1.1.1' }],
  ['accepted', { criticalOptions: { 'source-address': '10.0.0.0/8' } }, { sourceAddress: '10.1.1.1' }],
  ['accepted', { criticalOptions: { 'force-command': '/bin/true' } }, {}],
  ['accepted', { kind: 'host', principals: ['Node.Example'] }, { kind: 'host', principals: ['node.example'] }],
  ['unknown-critical-option', { kind: 'host', criticalOptions: { 'force-command': 'x' } }, { kind: 'host' }],
])('%s: certificate with %o, wanted %o', (code, changed, wanted) => {
  const certificate = issueCertificate(subject, authority, { ...spec, ...changed })
  expect(refusal(() => verifyCertificate(certificate, { ...expected, ...wanted }))).toBe(code)
})

test('a certificate signed by another key in the name of the authority is refused', () => {
  const certificate = issueCertificate(subject, newKey.ed25519(), spec)
  expect(refusal(() => verifyCertificate({ ...certificate, authorityKey: authority }, expected))).toBe('bad-signature')
})

test('a certificate whose signing key is itself a certificate is refused', () => {
  const intermediate = newKey.ed25519()
  const chained = issueCertificate(intermediate, authority, spec)
  const leaf = issueCertificate(subject, intermediate, spec)
  const plainKey = encodeString(encodePublicKey(intermediate))
  const at = leaf.signed.length - plainKey.length
  const nested = Buffer.concat([leaf.signed.subarray(0, at), encodeString(chained.blob), encodeString(leaf.signature)])
  expect(leaf.signed.subarray(at).equals(plainKey)).toBe(true)
  expect(refusal(() => parseCertificate(nested))).toBe('ssh/nested-certificate')
})

test('a plain key, a certificate cut at any byte, and one with bytes added are refused', () => {
  const { blob } = issueCertificate(subject, authority, spec)
  for (let length = 0; length < blob.length; length++) expect(refusal(() => parseCertificate(blob.subarray(0, length)))).toMatch(/^ssh\//)
  expect(refusal(() => parseCertificate(Buffer.concat([blob, Buffer.of(0)])))).toBe('ssh/malformed')
  expect(refusal(() => parseCertificate(encodePublicKey(subject)))).toBe('ssh/unsupported-key')
})

test('options out of order or twice are refused', () => {
  const { blob } = issueCertificate(subject, authority, { ...spec, extensions: { a: '', b: '' } })
  for (const pair of ['ba', 'aa']) {
    const list = Buffer.concat([...pair].map((name) => Buffer.concat([encodeString(name), encodeString('')])))
    const at = blob.indexOf(Buffer.concat([encodeString('a'), encodeString('')]))
    const changed = Buffer.concat([blob.subarray(0, at), list, blob.subarray(at + list.length)])
    expect(refusal(() => parseCertificate(changed))).toBe('ssh/malformed')
  }
})

const name = fc.stringMatching(/^[a-z@.-]{1,20}$/)
test('any certificate survives the round trip', () => {
  const anySpec = fc.record({
    kind: fc.constantFrom('user' as const, 'host' as const),
    serial: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    keyId: fc.stringMatching(/^[ -~]{0,80}$/),
    principals: fc.array(name, { minLength: 1, maxLength: 20 }),
    validAfter: fc.nat(),
    validBefore: fc.nat(),
    criticalOptions: fc.dictionary(name, fc.stringMatching(/^[ -~]{0,40}$/), { noNullPrototype: true }),
    extensions: fc.dictionary(name, fc.stringMatching(/^[ -~]{0,40}$/), { noNullPrototype: true }),
  })
  fc.assert(
    fc.property(anySpec, (any) => {
      const read = parseCertificate(issueCertificate(subject, authority, any).blob)
      expect({
        ...read,
        validAfter: Number(read.validAfter),
        validBefore: Number(read.validBefore),
        criticalOptions: Object.fromEntries(read.criticalOptions),
        extensions: Object.fromEntries(read.extensions),
      }).toMatchObject(any)
    }),
  )
})

test('hostile bytes never do anything but throw a ProtocolError', () => {
  const { blob } = issueCertificate(subject, authority, spec)
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat(blob.length), fc.nat(40), (noise, at, cut) => {
      const hostile = Buffer.concat([blob.subarray(0, at), noise, blob.subarray(at + cut)])
      if (!hostile.equals(blob)) expect(refusal(() => verifyCertificate(parseCertificate(hostile), expected))).not.toBe('accepted')
      expect(refusal(() => parseCertificate(noise))).toMatch(/^ssh\//)
    }),
    { numRuns: 500 },
  )
})

test('without a principal nothing is issued, and an RSA key is no subject', () => {
  expect(() => issueCertificate(subject, authority, { ...spec, principals: [] })).toThrow(TypeError)
  expect(() => issueCertificate(newKey.rsa(), authority, spec)).toThrow('not for ssh-rsa')
  expect(new SshReader(issueCertificate(subject, authority, spec).blob, 'certificate').text()).toBe('ssh-ed25519-cert-v01@openssh.com')
})
