import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { u16, u32, utf16 } from './bytes.ts'
import { CredSsp, tryCutRequest } from './credssp.ts'
import { contextTag, encodeDer, encodeInteger, tags } from './der.ts'
import { md4, Rc4 } from './md4-rc4.ts'
import { answerChallenge, encodeNegotiate, NtlmSession } from './ntlm.ts'

const login = { domain: 'Domain', user: 'User', password: 'Password', target: 'TERMSRV/server' }
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex')

test('MD4 and RC4 by their published vectors', () => {
  expect(md4(Buffer.alloc(0)).toString('hex')).toBe('31d6cfe0d16ae931b73c59d7e0c089c0')
  expect(md4(Buffer.from('abc')).toString('hex')).toBe('a448017aaf21d8525fc10ae87aa6729d')
  expect(md4(Buffer.from('12345678901234567890123456789012345678901234567890123456789012345678901234567890')).toString('hex')).toBe(
    'e33b4ddc9c38f2199c3e7b164fcc0536',
  )
  expect(new Rc4(Buffer.from('Key')).apply(Buffer.from('Plaintext')).toString('hex')).toBe('bbf316e8d940af0ad3')
})

const challenge = Buffer.concat([
  Buffer.from('NTLMSSP\0', 'latin1'),
  u32(2),
  u16(0, 0),
  u32(0),
  u32(0xe28a_8233),
  hex('0123456789abcdef'),
  Buffer.alloc(8),
  u16(20, 20),
  u32(56),
  Buffer.alloc(8),
  u16(2, 12),
  utf16('Domain'),
  u16(0, 0),
])

test('the answer proves the password by the published key, and its code covers all three messages', () => {
  const { message } = answerChallenge(
    login,
    challenge,
    (length) => Buffer.alloc(length, 0xaa),
    () => 0,
  )
  // NTOWFv2 of the published example.
  const owner = hex('0c868a403bfd7a93a3001ef22ef02e3f')
  const at = message.readUInt32LE(24)
  const answer = message.subarray(at, at + message.readUInt16LE(20))
  const proof = createHmac('md5', owner).update(hex('0123456789abcdef')).update(answer.subarray(16)).digest()
  expect(answer.subarray(0, 16)).toEqual(proof)
  const withoutCode = Buffer.from(message).fill(0, 72, 88)
  const code = createHmac('md5', Buffer.alloc(16, 0xaa)).update(encodeNegotiate()).update(challenge).update(withoutCode).digest()
  expect(message.subarray(72, 88)).toEqual(code)
})

test('what somebody else sealed is refused', () => {
  const session = new NtlmSession(Buffer.alloc(16, 1))
  expect(() => session.open(Buffer.alloc(40))).toThrow('could not prove')
})

test('a desktop that refuses says why, one that shows another key is found out', () => {
  const request = (...fields: Buffer[]): Buffer => encodeDer(tags.sequence, encodeDer(contextTag(0), encodeInteger(6)), ...fields)
  const token = (bytes: Buffer): Buffer =>
    encodeDer(
      contextTag(1),
      encodeDer(tags.sequence, encodeDer(tags.sequence, encodeDer(contextTag(0), encodeDer(tags.octetString, bytes)))),
    )
  const start = new CredSsp(login, Buffer.from('key'))
  expect(tryCutRequest(start.start())).toBe(start.start().length)
  expect(start.answer(request(token(challenge))).isLast).toBe(false)
  expect(() => start.answer(request(encodeDer(contextTag(3), encodeDer(tags.octetString, Buffer.alloc(48)))))).toThrow('could not prove')
  const refused = encodeDer(contextTag(4), encodeDer(tags.integer, hex('c0000224')))
  expect(() => new CredSsp(login, Buffer.from('key')).answer(request(refused))).toThrow('has to be changed first')
})
