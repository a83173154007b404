import { randomBytes } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { ProtocolError } from '../protocol-error.ts'
import { decodePublicKey, encodeKeyFields, encodePublicKey, keyType, readKeyFields, signSsh } from './keys.ts'
import { encodeString, encodeUint32, encodeUint64, SshReader } from './wire.ts'

/**
 * OpenSSH certificates (PROTOCOL.certkeys), version 01:
 *
 *   string type  string nonce  <key fields>  uint64 serial  uint32 kind (1 user, 2 host)  string key id
 *   string principals (strings)  uint64 valid after  uint64 valid before  string critical options
 *   string extensions  string reserved  string authority's public key  string signature over all before
 *
 * An option is string name, string data; data is empty for a flag, else one string inside.
 */
export const certificateSuffix = '-cert-v01@openssh.com'
const subjectTypes = ['ssh-ed25519', 'ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521']
export const certificateAlgorithms: readonly string[] = subjectTypes.map((type) => type + certificateSuffix)

const sizeLimit = 64 * 1024
const principalsLimit = 256
const optionsLimit = 64

export type CertificateKind = 'user' | 'host'

export interface CertificateSpec {
  readonly kind: CertificateKind
  readonly serial: bigint
  /** Written to sshd's log at each login. */
  readonly keyId: string
  /** Logins of a user certificate, names of a host certificate. At least one. */
  readonly principals: readonly string[]
  /** Seconds since 1970; valid from `validAfter` on, up to but not including `validBefore`. */
  readonly validAfter: number
  readonly validBefore: number
  /** Options by name; an empty text is a flag. */
  readonly criticalOptions?: Readonly<Record<string, string>>
  readonly extensions?: Readonly<Record<string, string>>
}

export interface Certificate {
  /** E.g. `ssh-ed25519-cert-v01@openssh.com`. */
  readonly algorithm: string
  readonly blob: Buffer
  readonly publicKey: KeyObject
  readonly kind: CertificateKind
  readonly serial: bigint
  readonly keyId: string
  readonly principals: readonly string[]
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly criticalOptions: ReadonlyMap<string, string>
  readonly extensions: ReadonlyMap<string, string>
  readonly authorityKey: KeyObject
  /** The bytes that the authority signed, and its signature. */
  readonly signed: Buffer
  readonly signature: Buffer
}

function encodeOptions(options: Readonly<Record<string, string>> = {}): Buffer {
  const sorted = Object.entries(options).toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  return Buffer.concat(sorted.flatMap(([name, value]) => [encodeString(name), encodeString(value === '' ? '' : encodeString(value))]))
}

/** Signs a certificate for a public key (of a private key, its public half). Subject keys are ed25519 or ECDSA. */
export function issueCertificate(subject: KeyObject, authority: KeyObject, spec: CertificateSpec): Certificate {
  const algorithm = keyType(subject) + certificateSuffix
  if (!certificateAlgorithms.includes(algorithm))
    throw new TypeError(`Certificates are issued for ed25519 and ECDSA keys, not for ${keyType(subject)}`)
  if (spec.principals.length === 0) throw new TypeError('A certificate needs at least one principal')
  const signed = Buffer.concat([
    encodeString(algorithm),
    encodeString(randomBytes(32)),
    encodeKeyFields(subject),
    encodeUint64(spec.serial),
    encodeUint32(spec.kind === 'user' ? 1 : 2),
    encodeString(spec.keyId),
    encodeString(Buffer.concat(spec.principals.map(encodeString))),
    encodeUint64(BigInt(Math.floor(spec.validAfter))),
    encodeUint64(BigInt(Math.floor(spec.validBefore))),
    encodeString(encodeOptions(spec.criticalOptions)),
    encodeString(encodeOptions(spec.extensions)),
    encodeString(''),
    encodeString(encodePublicKey(authority)),
  ])
  return parseCertificate(Buffer.concat([signed, encodeString(signSsh(authority, signed))]))
}

function readOptions(bytes: Buffer, what: string): Map<string, string> {
  const reader = new SshReader(bytes, what)
  const options = new Map<string, string>()
  let previous = ''
  while (reader.remaining > 0) {
    const name = reader.text()
    if (name === '' || (options.size > 0 && Buffer.compare(Buffer.from(previous), Buffer.from(name)) >= 0))
      throw reader.malformed('options are empty, repeated or out of order')
    if (options.size >= optionsLimit) throw reader.malformed(`it has more than ${optionsLimit} options`)
    const data = reader.string()
    let value = ''
    if (data.length > 0) {
      const inner = new SshReader(data, `option ${name}`)
      value = inner.text()
      inner.end()
    }
    options.set(name, value)
    previous = name
  }
  return options
}

function readPrincipals(bytes: Buffer): string[] {
  const reader = new SshReader(bytes, 'list of principals')
  const principals: string[] = []
  while (reader.remaining > 0) {
    if (principals.length >= principalsLimit) throw reader.malformed(`it has more than ${principalsLimit} entries`)
    const principal = reader.text()
    if (principal === '') throw reader.malformed('a principal is empty')
    principals.push(principal)
  }
  return principals
}

function readAuthorityKey(blob: Buffer): KeyObject {
  const type = new SshReader(blob, "authority's key").text()
  // A certificate in place of the authority's key would let any certified key sign for others.
  if (type.includes('-cert-'))
    throw new ProtocolError('ssh/nested-certificate', 'The certificate is signed by a certificate, which is not allowed.')
  return decodePublicKey(blob)
}

/** Reads a certificate's fields. It is not to be believed before verifyCertificate. Throws ProtocolError. */
export function parseCertificate(blob: Uint8Array): Certificate {
  if (blob.length > sizeLimit) throw new ProtocolError('ssh/malformed', `A certificate has at most ${sizeLimit} bytes.`)
  const bytes = Buffer.from(blob)
  const reader = new SshReader(bytes, 'certificate')
  const algorithm = reader.text()
  if (!certificateAlgorithms.includes(algorithm))
    throw new ProtocolError('ssh/unsupported-key', `"${algorithm}" is not a supported kind of certificate.`)
  reader.string() // The nonce only keeps two certificates apart.
  const publicKey = readKeyFields(reader, algorithm.slice(0, -certificateSuffix.length))
  const serial = reader.uint64()
  const kind = reader.uint32()
  if (kind !== 1 && kind !== 2) throw reader.malformed(`its kind ${kind} is neither user nor host`)
  const keyId = reader.text()
  const principals = readPrincipals(reader.string())
  const validAfter = reader.uint64()
  const validBefore = reader.uint64()
  const criticalOptions = readOptions(reader.string(), 'list of critical options')
  const extensions = readOptions(reader.string(), 'list of extensions')
  reader.string() // Reserved: to be ignored, but covered by the signature.
  const authorityKey = readAuthorityKey(reader.string())
  const signed = bytes.subarray(0, reader.offset)
  const signature = reader.string()
  reader.end()
  const kindName = kind === 1 ? 'user' : 'host'
  return {
    algorithm,
    blob: bytes,
    publicKey,
    kind: kindName,
    serial,
    keyId,
    principals,
    validAfter,
    validBefore,
    criticalOptions,
    extensions,
    authorityKey,
    signed,
    signature,
  }
}

/** One line as ssh expects it in a `-cert.pub` file. */
export function formatCertificate(certificate: Certificate, comment = ''): string {
  return `${certificate.algorithm} ${certificate.blob.toString('base64')}${comment && ` ${comment}`}`
}

/** The certificate of such a line. Throws ProtocolError. */
export function parseCertificateLine(line: string): Certificate {
  const [, base64] = line.trim().split(/\s+/u)
  if (!base64) throw new ProtocolError('ssh/malformed', 'A certificate line holds a type and a base64 text.')
  return parseCertificate(Buffer.from(base64, 'base64'))
}
