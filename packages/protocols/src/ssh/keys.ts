import { createHash, createPublicKey, sign, verify } from 'node:crypto'
import type { JsonWebKeyInput, KeyObject } from 'node:crypto'
import { ProtocolError } from '../protocol-error.ts'
import { encodeMpint, encodeString, SshReader } from './wire.ts'

/** Public keys and signatures in the form of RFC 4253 section 6.6, RFC 5656, RFC 8332 and RFC 8709. */

interface Curve {
  readonly ssh: string
  readonly jwk: string
  readonly hash: string
  /** Bytes of one coordinate. */
  readonly size: number
}

const curves: readonly Curve[] = [
  { ssh: 'nistp256', jwk: 'P-256', hash: 'sha256', size: 32 },
  { ssh: 'nistp384', jwk: 'P-384', hash: 'sha384', size: 48 },
  { ssh: 'nistp521', jwk: 'P-521', hash: 'sha512', size: 66 },
]
const rsaHashes: ReadonlyMap<string, string> = new Map([
  ['rsa-sha2-256', 'sha256'],
  ['rsa-sha2-512', 'sha512'],
])
const rsaMinBytes = 256
const rsaMaxBytes = 2048

function asPublic(key: KeyObject): KeyObject {
  return key.type === 'private' ? createPublicKey(key) : key
}

function unsupported(what: string): ProtocolError {
  return new ProtocolError('ssh/unsupported-key', `Keys of type "${what}" are not supported; use ed25519, ECDSA or RSA.`)
}

function fromBase64(value: string | undefined): Buffer {
  return Buffer.from(value ?? '', 'base64url')
}

/** The key's SSH type, e.g. `ssh-ed25519`. */
export function keyType(key: KeyObject): string {
  if (key.asymmetricKeyType === 'ed25519') return 'ssh-ed25519'
  if (key.asymmetricKeyType === 'rsa') return 'ssh-rsa'
  const jwk = asPublic(key).export({ format: 'jwk' })
  const curve = curves.find((candidate) => candidate.jwk === jwk.crv)
  if (!curve) throw unsupported(String(key.asymmetricKeyType))
  return `ecdsa-sha2-${curve.ssh}`
}

/** Everything of the public key's blob that follows its type; a certificate carries the same fields. */
export function encodeKeyFields(key: KeyObject): Buffer {
  const jwk = asPublic(key).export({ format: 'jwk' })
  if (jwk.kty === 'OKP' && jwk.crv === 'Ed25519') return encodeString(fromBase64(jwk.x))
  if (jwk.kty === 'RSA') return Buffer.concat([encodeMpint(fromBase64(jwk.e)), encodeMpint(fromBase64(jwk.n))])
  const curve = curves.find((candidate) => candidate.jwk === jwk.crv)
  if (!curve) throw unsupported(String(key.asymmetricKeyType))
  return Buffer.concat([encodeString(curve.ssh), encodeString(Buffer.concat([Buffer.of(4), fromBase64(jwk.x), fromBase64(jwk.y)]))])
}

/** The blob that SSH sends and hashes as the public key; of a private key, its public half. */
export function encodePublicKey(key: KeyObject): Buffer {
  return Buffer.concat([encodeString(keyType(key)), encodeKeyFields(key)])
}

function importJwk(jwk: JsonWebKeyInput['key']): KeyObject {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' })
  } catch (cause) {
    throw new ProtocolError('ssh/malformed', 'The public key is malformed: its numbers are not a key.', { cause })
  }
}

/** Reads the fields of a public key of that type; the counterpart of encodeKeyFields. */
export function readKeyFields(reader: SshReader, type: string): KeyObject {
  if (type === 'ssh-ed25519') {
    const x = reader.string()
    if (x.length !== 32) throw reader.malformed('an ed25519 key has 32 bytes')
    return importJwk({ kty: 'OKP', crv: 'Ed25519', x: x.toString('base64url') })
  }
  if (type === 'ssh-rsa') {
    const exponent = reader.mpint()
    const modulus = reader.mpint()
    if (modulus.length < rsaMinBytes || modulus.length > rsaMaxBytes) throw reader.malformed('an RSA key has 2048 to 16384 bits')
    if (exponent.length === 0 || exponent.length > 8) throw reader.malformed('its RSA exponent is out of range')
    return importJwk({ kty: 'RSA', n: modulus.toString('base64url'), e: exponent.toString('base64url') })
  }
  const curve = curves.find((candidate) => `ecdsa-sha2-${candidate.ssh}` === type)
  if (!curve) throw unsupported(type)
  const named = reader.text()
  const point = reader.string()
  if (named !== curve.ssh || point.length !== 1 + 2 * curve.size || point[0] !== 4)
    throw reader.malformed(`it is not a point of ${curve.ssh}`)
  const x = point.subarray(1, 1 + curve.size).toString('base64url')
  return importJwk({ kty: 'EC', crv: curve.jwk, x, y: point.subarray(1 + curve.size).toString('base64url') })
}

export function decodePublicKey(blob: Uint8Array): KeyObject {
  const reader = new SshReader(blob, 'public key')
  const key = readKeyFields(reader, reader.text())
  reader.end()
  return key
}

/** One line of an authorized_keys, TrustedUserCAKeys or known_hosts file. */
export function formatPublicKey(key: KeyObject, comment = ''): string {
  return `${keyType(key)} ${encodePublicKey(key).toString('base64')}${comment && ` ${comment}`}`
}

export function parsePublicKey(line: string): KeyObject {
  const [type, base64] = line.trim().split(/\s+/u)
  if (!type || !base64) throw new ProtocolError('ssh/malformed', 'A public key line holds a type and a base64 text.')
  const key = decodePublicKey(Buffer.from(base64, 'base64'))
  if (keyType(key) !== type) throw new ProtocolError('ssh/malformed', `The public key line says "${type}" but holds another type.`)
  return key
}

/** As `ssh-keygen -l` prints it. */
export function fingerprint(key: KeyObject): string {
  return `SHA256:${createHash('sha256').update(encodePublicKey(key)).digest('base64').replace(/=+$/u, '')}`
}

/** Signs as SSH does: string(algorithm), string(value). RSA keys sign with SHA-512. */
export function signSsh(privateKey: KeyObject, data: Uint8Array): Buffer {
  const type = keyType(privateKey)
  if (type === 'ssh-ed25519') return Buffer.concat([encodeString(type), encodeString(sign(null, data, privateKey))])
  if (type === 'ssh-rsa') return Buffer.concat([encodeString('rsa-sha2-512'), encodeString(sign('sha512', data, privateKey))])
  const curve = curves.find((candidate) => `ecdsa-sha2-${candidate.ssh}` === type)
  if (!curve) throw unsupported(type)
  const raw = sign(curve.hash, data, { key: privateKey, dsaEncoding: 'ieee-p1363' })
  const numbers = Buffer.concat([encodeMpint(raw.subarray(0, curve.size)), encodeMpint(raw.subarray(curve.size))])
  return Buffer.concat([encodeString(type), encodeString(numbers)])
}

/** ECDSA numbers at their full width, as node:crypto wants them; undefined when one is too long. */
function fixedWidth(value: Buffer, size: number): Buffer {
  const reader = new SshReader(value, 'signature')
  const numbers = [reader.mpint(), reader.mpint()]
  reader.end()
  return Buffer.concat(
    numbers.map((number) => {
      if (number.length > size) throw reader.malformed('a number is too long')
      return Buffer.concat([Buffer.alloc(size - number.length), number])
    }),
  )
}

/**
 * True when `signature` (algorithm and value) over `data` is the key's. The algorithm has to be the
 * key's own; for RSA one of SHA-2, never SHA-1. A malformed signature throws ProtocolError.
 */
export function verifySsh(publicKey: KeyObject, data: Uint8Array, signature: Uint8Array): boolean {
  const reader = new SshReader(signature, 'signature')
  const algorithm = reader.text()
  const value = reader.string()
  reader.end()
  const type = keyType(publicKey)
  if (type === 'ssh-rsa') {
    const hash = rsaHashes.get(algorithm)
    return hash !== undefined && verify(hash, data, asPublic(publicKey), value)
  }
  if (algorithm !== type) return false
  if (type === 'ssh-ed25519') return value.length === 64 && verify(null, data, asPublic(publicKey), value)
  const curve = curves.find((candidate) => `ecdsa-sha2-${candidate.ssh}` === type)
  if (!curve) throw unsupported(type)
  return verify(curve.hash, data, { key: asPublic(publicKey), dsaEncoding: 'ieee-p1363' }, fixedWidth(value, curve.size))
}
