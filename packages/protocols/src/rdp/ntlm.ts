/**
 * The client's half of NTLMv2 (MS-NLMP): proves a password to a desktop and agrees on keys for what follows. It is a
 * protocol of yesterday; inside of TLS, bound to the certificate by CredSSP, it is what desktops outside of a domain have.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { ProtocolError } from '../protocol-error.ts'
import { RdpReader, u16, u32, utf16 } from './bytes.ts'
import { md4, Rc4 } from './md4-rc4.ts'

export interface NtlmLogin {
  domain: string
  user: string
  password: string
  /** `TERMSRV/host`: what the client believes it speaks to. */
  target: string
}

const signature = Buffer.from('NTLMSSP\0', 'latin1')
/** Unicode, signing and sealing, NTLM, extended session security, version, 128 bits, key exchange. */
const flags = 0xe208_8235
const version = Buffer.from([10, 0, 0x63, 0x45, 0, 0, 0, 15])
const avIds = { end: 0, flags: 6, timestamp: 7, targetName: 9, channelBindings: 10 } as const
/** The message carries an integrity code. */
const avMicPresent = 2
const headerLength = 88
const micAt = 72
/** Between 1601 and 1970, in units of 100 ns. */
const epochDifference = 116_444_736_000_000_000n

const hmacMd5 = (key: Uint8Array, ...parts: Uint8Array[]): Buffer => {
  const mac = createHmac('md5', key)
  for (const part of parts) mac.update(part)
  return mac.digest()
}
const md5 = (...parts: Uint8Array[]): Buffer => createHash('md5').update(Buffer.concat(parts)).digest()

export const encodeNegotiate = (): Buffer => Buffer.concat([signature, u32(1, flags), Buffer.alloc(16), version])

interface Challenge {
  nonce: Buffer
  avPairs: { id: number; value: Buffer }[]
}

function parseChallenge(message: Buffer): Challenge {
  const reader = new RdpReader(message, 'challenge of the desktop')
  if (!reader.take(8).equals(signature) || reader.u32() !== 2) throw reader.malformed('it is none')
  const nonce = reader.skip(12).take(8)
  const length = reader.skip(8).u16()
  const offset = reader.skip(2).u32()
  const pairs = new RdpReader(message.subarray(offset, offset + length), 'challenge of the desktop')
  const avPairs: Challenge['avPairs'] = []
  while (pairs.remaining >= 4) {
    const id = pairs.u16()
    const value = pairs.take(pairs.u16())
    if (id === avIds.end) break
    avPairs.push({ id, value })
  }
  return { nonce, avPairs }
}

const encodeAv = (id: number, value: Uint8Array): Buffer => Buffer.concat([u16(id, value.length), value])

export interface NtlmAnswer {
  message: Buffer
  session: NtlmSession
}

/** `random` and `now` are passed where a test has to hold them. Throws ProtocolError. */
export function answerChallenge(
  login: NtlmLogin,
  challengeMessage: Buffer,
  random: (length: number) => Buffer = randomBytes,
  now: () => number = Date.now,
): NtlmAnswer {
  const { nonce, avPairs } = parseChallenge(challengeMessage)
  const time = Buffer.alloc(8)
  time.writeBigUInt64LE(BigInt(now()) * 10_000n + epochDifference)
  const said = avPairs.find(({ id }) => id === avIds.timestamp)?.value ?? time
  const target = Buffer.concat([
    ...avPairs.filter(({ id }) => id !== avIds.flags).map(({ id, value }) => encodeAv(id, value)),
    encodeAv(avIds.flags, u32(avMicPresent)),
    encodeAv(avIds.channelBindings, Buffer.alloc(16)),
    encodeAv(avIds.targetName, utf16(login.target)),
    encodeAv(avIds.end, Buffer.alloc(0)),
  ])
  const owner = hmacMd5(md4(utf16(login.password)), utf16(login.user.toUpperCase() + login.domain))
  const blob = Buffer.concat([Buffer.from([1, 1, 0, 0, 0, 0, 0, 0]), said, random(8), Buffer.alloc(4), target, Buffer.alloc(4)])
  const proof = hmacMd5(owner, nonce, blob)
  const keyExchange = hmacMd5(owner, proof)
  const sessionKey = random(16)
  const message = encodeAuthenticate([
    Buffer.alloc(24),
    Buffer.concat([proof, blob]),
    utf16(login.domain),
    utf16(login.user),
    utf16('SALLYPORT'),
    new Rc4(keyExchange).apply(sessionKey),
  ])
  hmacMd5(sessionKey, encodeNegotiate(), challengeMessage, message).copy(message, micAt)
  return { message, session: new NtlmSession(sessionKey) }
}

/** Fields in the order of the header: LM and NT answer, domain, user, workstation, session key. The code is zero yet. */
function encodeAuthenticate(fields: readonly Buffer[]): Buffer {
  let at = headerLength
  const places = fields.map((field) => {
    at += field.length
    return Buffer.concat([u16(field.length, field.length), u32(at - field.length)])
  })
  return Buffer.concat([signature, u32(3), ...places, u32(flags), version, Buffer.alloc(16), ...fields])
}

/** Seals what goes to the desktop and opens what comes from it, in order. */
export class NtlmSession {
  readonly #sign: { out: Buffer; in: Buffer }
  readonly #seal: { out: Rc4; in: Rc4 }
  #sent = 0
  #received = 0

  constructor(sessionKey: Buffer) {
    const key = (way: string, use: string): Buffer =>
      md5(sessionKey, Buffer.from(`session key to ${way} ${use} key magic constant\0`, 'latin1'))
    const [out, back] = ['client-to-server', 'server-to-client']
    this.#sign = { out: key(out, 'signing'), in: key(back, 'signing') }
    this.#seal = { out: new Rc4(key(out, 'sealing')), in: new Rc4(key(back, 'sealing')) }
  }

  seal(message: Uint8Array): Buffer {
    const sealed = this.#seal.out.apply(message)
    const sum = this.#seal.out.apply(hmacMd5(this.#sign.out, u32(this.#sent), message).subarray(0, 8))
    const head = Buffer.concat([u32(1), sum, u32(this.#sent)])
    this.#sent += 1
    return Buffer.concat([head, sealed])
  }

  /** Throws ProtocolError `rdp/forged` when it is not what the desktop sealed. */
  open(sealed: Buffer): Buffer {
    const message = this.#seal.in.apply(sealed.subarray(16))
    const sum = this.#seal.in.apply(hmacMd5(this.#sign.in, u32(this.#received), message).subarray(0, 8))
    this.#received += 1
    if (!sum.equals(sealed.subarray(4, 12))) throw new ProtocolError('rdp/forged', 'The desktop could not prove who it is.')
    return message
  }
}
