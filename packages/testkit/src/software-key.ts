/** A hardware key in software: makes and uses ES256 credentials as a browser's authenticator would. */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type { Assertion, Attestation } from '@sallyport/wire/entities/mfa.ts'

interface Credential {
  id: Buffer
  rpId: string
  privateKey: KeyObject
  userHandle: Buffer
}

export interface KeyOptions {
  /** Origin of the page that asks. */
  origin: string
  /** Whether the key asks for a PIN or finger. */
  verified?: boolean
  present?: boolean
}

const flag = { present: 0x01, verified: 0x04, attested: 0x40 } as const
const b64u = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')
const sha256 = (bytes: Uint8Array | string): Buffer => createHash('sha256').update(bytes).digest()

export class SoftwareKey {
  readonly #credentials: Credential[] = []
  /** The key's use counter; tests turn it back to look like a copy. */
  counter = 0

  /** What `navigator.credentials.create` gives for these options. */
  create(
    options: { challenge: string; rp: { id?: string | undefined }; user: { id: string } },
    { origin, verified = true, present = true }: KeyOptions,
  ): Attestation {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const rpId = options.rp.id ?? new URL(origin).hostname
    const id = randomBytes(32)
    this.#credentials.push({ id, rpId, privateKey, userHandle: Buffer.from(options.user.id, 'base64url') })
    const length = Buffer.alloc(2)
    length.writeUInt16BE(id.length)
    const attested = Buffer.concat([Buffer.alloc(16), length, id, coseKey(publicKey)])
    const authData = Buffer.concat([this.#authData(rpId, flag.attested, verified, present), attested])
    return {
      id: b64u(id),
      rawId: b64u(id),
      type: 'public-key',
      extensions: { appid: false },
      response: {
        attestationObject: b64u(attestationObject(authData)),
        clientDataJSON: clientData('webauthn.create', options.challenge, origin),
      },
    }
  }

  /** What `navigator.credentials.get` gives for these options. */
  get(
    options: { challenge: string; rpId?: string | undefined; allowCredentials?: { id: string }[] | undefined },
    { origin, verified = true, present = true }: KeyOptions,
  ): Assertion {
    const allowed = options.allowCredentials?.map(({ id }) => id)
    const credential = this.#credentials.find(({ id }) => allowed?.includes(b64u(id)) ?? true)
    if (!credential) throw new Error('this key has no such credential')
    this.counter += 1
    const authData = this.#authData(credential.rpId, 0, verified, present)
    const clientDataJSON = clientData('webauthn.get', options.challenge, origin)
    const signature = sign('sha256', Buffer.concat([authData, sha256(Buffer.from(clientDataJSON, 'base64url'))]), credential.privateKey)
    return {
      id: b64u(credential.id),
      rawId: b64u(credential.id),
      type: 'public-key',
      extensions: { appid: false },
      response: { authenticatorData: b64u(authData), clientDataJSON, signature: b64u(signature), userHandle: b64u(credential.userHandle) },
    }
  }

  #authData(rpId: string, extra: number, verified: boolean, present: boolean): Buffer {
    const tail = Buffer.alloc(5)
    tail.writeUInt8((present ? flag.present : 0) | (verified ? flag.verified : 0) | extra, 0)
    tail.writeUInt32BE(this.counter, 1)
    return Buffer.concat([sha256(rpId), tail])
  }
}

const clientData = (type: string, challenge: string, origin: string): string =>
  b64u(Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false })))

/** COSE_Key of ES256 in CBOR: {1: 2, 3: -7, -1: 1, -2: x, -3: y}. */
function coseKey(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const coordinate = (label: number, value: string): Buffer =>
    Buffer.concat([Buffer.from([label, 0x58, 0x20]), Buffer.from(value, 'base64url')])
  return Buffer.concat([Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01]), coordinate(0x21, x), coordinate(0x22, y)])
}

/** CBOR of {fmt: "none", attStmt: {}, authData}. */
function attestationObject(authData: Buffer): Buffer {
  const text = (value: string): Buffer => Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)])
  const length = Buffer.alloc(2)
  length.writeUInt16BE(authData.length)
  return Buffer.concat([
    Buffer.from([0xa3]),
    text('fmt'),
    text('none'),
    text('attStmt'),
    Buffer.from([0xa0]),
    text('authData'),
    Buffer.from([0x59]),
    length,
    authData,
  ])
}
