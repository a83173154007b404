import { execFileSync, spawnSync } from 'node:child_process'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ProtocolError } from '../protocol-error.ts'
import { formatCertificate, issueCertificate } from './certificate.ts'
import { decodePublicKey, encodePublicKey, fingerprint, formatPublicKey, parsePublicKey, signSsh, verifySsh } from './keys.ts'

const keys: Record<string, KeyObject> = {
  'ssh-ed25519': generateKeyPairSync('ed25519').privateKey,
  'ecdsa-sha2-nistp256': generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
  'ecdsa-sha2-nistp384': generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey,
  'ecdsa-sha2-nistp521': generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey,
  'ssh-rsa': generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
}
const message = Buffer.from('what is signed')

describe.each(Object.entries(keys))('%s', (type, key) => {
  test('the public key survives blob and line', () => {
    expect(decodePublicKey(encodePublicKey(key)).equals(createPublicKey(key))).toBe(true)
    expect(formatPublicKey(key, 'me')).toMatch(new RegExp(`^${type} AAAA.* me$`, 'u'))
    expect(parsePublicKey(formatPublicKey(key, 'me')).equals(createPublicKey(key))).toBe(true)
    expect(() => parsePublicKey(`ssh-dss ${encodePublicKey(key).toString('base64')}`)).toThrow(ProtocolError)
  })

  test('a signature is accepted for its message and key only', () => {
    const signature = signSsh(key, message)
    expect(verifySsh(key, message, signature)).toBe(true)
    expect(verifySsh(key, Buffer.from('something else'), signature)).toBe(false)
    const other = Object.values(keys).find((candidate) => candidate !== key)
    expect(other && verifySsh(other, message, signature)).toBe(false)
  })

  test('a blob or signature cut at any byte is refused', () => {
    const blob = encodePublicKey(key)
    const signature = signSsh(key, message)
    for (let length = 0; length < blob.length; length++) expect(() => decodePublicKey(blob.subarray(0, length))).toThrow(ProtocolError)
    for (let length = 0; length < signature.length; length++)
      expect(() => verifySsh(key, message, signature.subarray(0, length))).toThrow(ProtocolError)
  })
})

test('many ECDSA signatures verify, whatever the length of their numbers', () => {
  const key = keys['ecdsa-sha2-nistp256']
  for (let round = 0; round < 300; round++) {
    const data = Buffer.from(String(round))
    expect(key && verifySsh(key, data, signSsh(key, data))).toBe(true)
  }
})

test.each([
  [
    'a point that is not on the curve',
    Buffer.from(keys['ecdsa-sha2-nistp256'] ? encodePublicKey(keys['ecdsa-sha2-nistp256']) : '').fill(1, 45),
  ],
  ['a type that is not known', Buffer.from('0000000a73736b2d65643235353139', 'hex')],
])('%s is refused', (_name, blob) => {
  expect(() => decodePublicKey(blob)).toThrow(ProtocolError)
})

const keygen = spawnSync('ssh-keygen', ['-?']).error === undefined

describe.skipIf(!keygen)(`with ssh-keygen${keygen ? '' : ' (skipped: it is not installed)'}`, () => {
  function directory(): string {
    const path = mkdtempSync(join(tmpdir(), 'sallyport-keys-'))
    onTestFinished(() => rmSync(path, { recursive: true }))
    return path
  }

  test.each(Object.values(keys))('it computes the same fingerprint', (key) => {
    const file = join(directory(), 'key.pub')
    writeFileSync(file, formatPublicKey(key))
    expect(execFileSync('ssh-keygen', ['-l', '-f', file], { encoding: 'utf8' })).toContain(fingerprint(key))
  })

  test.each(Object.entries(keys))('it reads our certificate signed by %s', (type, authority) => {
    const file = join(directory(), 'id-cert.pub')
    const certificate = issueCertificate(generateKeyPairSync('ed25519').privateKey, authority, {
      kind: 'user',
      serial: 2n ** 63n,
      keyId: 'alice',
      principals: ['root', 'ubuntu'],
      validAfter: 1_700_000_000,
      validBefore: 1_800_000_000,
      criticalOptions: { 'source-address': '10.0.0.0/8' },
      extensions: { 'permit-pty': '' },
    })
    writeFileSync(file, formatCertificate(certificate))
    const text = execFileSync('ssh-keygen', ['-L', '-f', file], { encoding: 'utf8' })
    expect(text).toContain(fingerprint(authority))
    expect(text).toContain('Serial: 9223372036854775808')
    expect(text).toMatch(/Principals:\s+root\s+ubuntu\s+Critical Options:\s+source-address 10\.0\.0\.0\/8\s+Extensions:\s+permit-pty/u)
    expect(text).toContain(type === 'ssh-rsa' ? 'rsa-sha2-512' : type)
  })

  test('we read a key that it made, and it does not read a damaged certificate', () => {
    const path = directory()
    execFileSync('ssh-keygen', ['-q', '-t', 'ecdsa', '-N', '', '-f', join(path, 'id')])
    const line = readFileSync(join(path, 'id.pub'), 'utf8')
    expect(formatPublicKey(parsePublicKey(line))).toBe(line.split(' ').slice(0, 2).join(' '))
    writeFileSync(join(path, 'bad-cert.pub'), 'ssh-ed25519-cert-v01@openssh.com AAAA')
    expect(spawnSync('ssh-keygen', ['-L', '-f', join(path, 'bad-cert.pub')]).status).not.toBe(0)
  })
})
