/**
 * CredSSP (MS-CSSP): network level authentication. Inside of TLS both sides prove that they know the password, and that
 * both see the same certificate; only then does the password itself go over.
 *
 *   TSRequest ::= SEQUENCE { [0] version, [1] tokens, [2] authInfo, [3] pubKeyAuth, [4] errorCode, [5] clientNonce }
 */
import { createHash, randomBytes } from 'node:crypto'
import { ProtocolError } from '../protocol-error.ts'
import { utf16 } from './bytes.ts'
import { contextTag, encodeDer, encodeInteger, readDer, readDerChildren, readInteger, tags, tryReadDer } from './der.ts'
import { answerChallenge, encodeNegotiate } from './ntlm.ts'
import type { NtlmLogin, NtlmSession } from './ntlm.ts'

const version = 6
/** From this version on hashes with a nonce are sealed instead of the key itself. */
const nonceVersion = 5
const field = (number: number, ...parts: Uint8Array[]): Buffer => encodeDer(contextTag(number), ...parts)
const octets = (bytes: Uint8Array): Buffer => encodeDer(tags.octetString, bytes)

interface Request {
  version: number
  token: Buffer | undefined
  keyProof: Buffer | undefined
  errorCode: number | undefined
}

function parseRequest(bytes: Buffer): Request {
  const fields = new Map(readDerChildren(readDer(bytes).body).map(({ tag, body }) => [tag, body]))
  const inner = (number: number): Buffer | undefined => {
    const body = fields.get(contextTag(number))
    return body && readDer(body).body
  }
  const [tokens, peer, error] = [inner(1), inner(0), inner(4)]
  const token = tokens && readDer(readDer(readDer(tokens).body).body).body
  return {
    version: peer ? readInteger(peer) : 0,
    token,
    keyProof: inner(3),
    errorCode: error && (error.length > 4 ? error.subarray(-4) : error).readUIntBE(0, Math.min(4, error.length)),
  }
}

const encodeRequest = (...fields: Uint8Array[]): Buffer => encodeDer(tags.sequence, field(0, encodeInteger(version)), ...fields)
const encodeTokens = (token: Uint8Array): Buffer => field(1, encodeDer(tags.sequence, encodeDer(tags.sequence, field(0, octets(token)))))

const hashOf = (way: string, nonce: Uint8Array, key: Uint8Array): Buffer =>
  createHash('sha256').update(`CredSSP ${way} Binding Hash\0`, 'latin1').update(nonce).update(key).digest()

const encodeCredentials = ({ domain, user, password }: NtlmLogin): Buffer => {
  const login = encodeDer(tags.sequence, ...[domain, user, password].map((text, index) => field(index, octets(utf16(text)))))
  return encodeDer(tags.sequence, field(0, encodeInteger(1)), field(1, octets(login)))
}

const refused = (text: string): ProtocolError => new ProtocolError('rdp/credentials', text)

/** The bytes of one request at the beginning of the stream, when all of them are there. */
export const tryCutRequest = (bytes: Buffer): number | undefined => tryReadDer(bytes)?.length

export class CredSsp {
  readonly #login: NtlmLogin
  readonly #publicKey: Buffer
  readonly #nonce = randomBytes(32)
  #session: NtlmSession | undefined
  #peerVersion = 0

  /** `publicKey`: the bits of the certificate's key as TLS showed it. */
  constructor(login: NtlmLogin, publicKey: Buffer) {
    this.#login = login
    this.#publicKey = publicKey
  }

  start(): Buffer {
    return encodeRequest(encodeTokens(encodeNegotiate()))
  }

  /**
   * The answer to what the desktop said, and whether that was the last word. Throws ProtocolError `rdp/credentials` when
   * the password is refused, `rdp/forged` when somebody stands in between.
   */
  answer(bytes: Buffer): { message: Buffer; isLast: boolean } {
    const request = parseRequest(bytes)
    if (request.errorCode !== undefined) throw refused(whyRefused(request.errorCode))
    if (!this.#session) return { message: this.#prove(request), isLast: false }
    if (!request.keyProof) throw refused('The desktop refuses the user name or the password.')
    this.#checkKey(this.#session.open(request.keyProof))
    return { message: encodeRequest(field(2, octets(this.#session.seal(encodeCredentials(this.#login))))), isLast: true }
  }

  #prove({ token, version: peer }: Request): Buffer {
    if (!token) throw refused('The desktop does not take a user name and a password (NTLM).')
    this.#peerVersion = peer
    const { message, session } = answerChallenge(this.#login, token)
    this.#session = session
    const isHashed = peer >= nonceVersion
    const proof = session.seal(isHashed ? hashOf('Client-To-Server', this.#nonce, this.#publicKey) : this.#publicKey)
    return encodeRequest(encodeTokens(message), field(3, octets(proof)), ...(isHashed ? [field(5, octets(this.#nonce))] : []))
  }

  #checkKey(proof: Buffer): void {
    const expected = Buffer.from(
      this.#peerVersion >= nonceVersion ? hashOf('Server-To-Client', this.#nonce, this.#publicKey) : this.#publicKey,
    )
    if (this.#peerVersion < nonceVersion) expected[0] = ((expected[0] ?? 0) + 1) & 0xff
    if (!proof.equals(expected)) throw new ProtocolError('rdp/forged', 'The desktop could not prove who it is.')
  }
}

const reasons: Readonly<Record<number, string>> = {
  0xc000_006d: 'The desktop refuses the user name or the password.',
  0xc000_006a: 'The desktop refuses the user name or the password.',
  0xc000_0064: 'The desktop refuses the user name or the password.',
  0xc000_006e: 'The account may not sign in to the desktop.',
  0xc000_006f: 'The account may not sign in at this time.',
  0xc000_0071: 'The password of the account has expired.',
  0xc000_0072: 'The account is disabled.',
  0xc000_0193: 'The account has expired.',
  0xc000_0224: 'The password of the account has to be changed first.',
  0xc000_0234: 'The account is locked on the desktop.',
}

const whyRefused = (code: number): string => reasons[code >>> 0] ?? `The desktop refuses to sign in (0x${(code >>> 0).toString(16)}).`
