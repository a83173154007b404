import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { issueCertificate } from './certificate.ts'
import { readHolderOf } from './certificate-login.ts'
import type { CertificateLogin } from './certificate-login.ts'
import { encodePublicKey, signSsh } from './keys.ts'

const own = generateKeyPairSync('ed25519')
const other = generateKeyPairSync('ed25519')
const spec = { kind: 'user', serial: 1n, keyId: 'ann', principals: ['root'], validAfter: 0, validBefore: 1 } as const
const blob = Buffer.from('what this connection asks to have signed')
/** A certificate that nobody trusts over `subject`, and what `signer` makes of the request. */
const login = (subject: typeof own, signer?: typeof own): CertificateLogin => {
  const { algorithm, blob: data } = issueCertificate(subject.publicKey, generateKeyPairSync('ed25519').privateKey, spec)
  return { key: { algo: algorithm, data: Buffer.from(data) }, blob, signature: signer && signSsh(signer.privateKey, blob) }
}

test('whose key is known from elsewhere proves to hold it, whoever certified it', () => {
  expect(readHolderOf(own.publicKey, login(own))).toEqual({ isProved: false })
  expect(readHolderOf(own.publicKey, login(own, own))).toEqual({ isProved: true })
})

test('another key, the signature of another key, and a key without a certificate are refused', () => {
  expect(() => readHolderOf(own.publicKey, login(other, other))).toThrow('over another key')
  expect(() => readHolderOf(own.publicKey, login(own, other))).toThrow('not signed with the certified key')
  const plain = { key: { algo: 'ssh-ed25519', data: encodePublicKey(own.publicKey) }, blob, signature: signSsh(own.privateKey, blob) }
  expect(() => readHolderOf(own.publicKey, plain)).toThrow('a plain key')
})
