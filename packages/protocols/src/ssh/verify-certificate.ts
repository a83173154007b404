import type { KeyObject } from 'node:crypto'
import { addressMatches } from './address.ts'
import type { Certificate, CertificateKind } from './certificate.ts'
import { encodePublicKey, fingerprint, verifySsh } from './keys.ts'

export type CertificateRefusal =
  | 'wrong-kind'
  | 'untrusted-authority'
  | 'bad-signature'
  | 'not-yet-valid'
  | 'expired'
  | 'principal-missing'
  | 'unknown-critical-option'
  | 'source-address'

/** A certificate that is well-formed but not good for what it was shown for. */
export class CertificateRefused extends Error {
  override readonly name = 'CertificateRefused'
  readonly code: CertificateRefusal

  constructor(code: CertificateRefusal, message: string) {
    super(message)
    this.code = code
  }
}

export interface CertificateExpectation {
  readonly kind: CertificateKind
  /** The authorities that count, old and new while one is rotated. */
  readonly trusted: readonly KeyObject[]
  /** The certificate has to list one of them: the login, or the names under which the host is known. `any`: no name is claimed. */
  readonly principals: readonly string[] | 'any'
  /** Milliseconds since 1970. */
  readonly now: number
  /** Where the holder connects from; undefined, when unknown, matches no source-address. */
  readonly sourceAddress?: string | undefined
}

/** `force-command` is for the caller to obey; whoever cannot must not call with a certificate that has it. */
const knownCriticalOptions: Readonly<Record<CertificateKind, readonly string[]>> = { user: ['force-command', 'source-address'], host: [] }

/**
 * Throws CertificateRefused unless the certificate was signed by a trusted authority and is good, now,
 * for one of the principals. Proof that the other side holds the certified key is not part of it.
 */
export function verifyCertificate(certificate: Certificate, expected: CertificateExpectation): void {
  const refuse = (code: CertificateRefusal, message: string): never => {
    throw new CertificateRefused(code, message)
  }
  const authority = encodePublicKey(certificate.authorityKey)
  if (!expected.trusted.some((key) => encodePublicKey(key).equals(authority))) {
    refuse(
      'untrusted-authority',
      `The certificate is signed by ${fingerprint(certificate.authorityKey)}, which is not a trusted authority.`,
    )
  }
  if (!verifySsh(certificate.authorityKey, certificate.signed, certificate.signature))
    refuse('bad-signature', 'The signature of the certificate is wrong.')
  if (certificate.kind !== expected.kind)
    refuse('wrong-kind', `This is a ${certificate.kind} certificate where a ${expected.kind} certificate is needed.`)
  const seconds = BigInt(Math.floor(expected.now / 1000))
  if (seconds < certificate.validAfter) refuse('not-yet-valid', 'The certificate is not valid yet. Check the clocks of both machines.')
  if (seconds >= certificate.validBefore) refuse('expired', 'The certificate has expired. Sign in again for a new one.')
  const principals = expected.principals === 'any' ? certificate.principals : expected.principals
  const wanted = principals.map((name) => (expected.kind === 'host' ? name.toLowerCase() : name))
  const listed = certificate.principals.map((name) => (expected.kind === 'host' ? name.toLowerCase() : name))
  if (!listed.some((name) => wanted.includes(name))) {
    refuse(
      'principal-missing',
      `The certificate is good for ${certificate.principals.join(', ') || 'nobody'}, not for ${principals.join(' or ')}.`,
    )
  }
  const unknown = [...certificate.criticalOptions.keys()].find((name) => !knownCriticalOptions[expected.kind].includes(name))
  if (unknown !== undefined) refuse('unknown-critical-option', `The certificate demands "${unknown}", which is not supported.`)
  const networks = certificate.criticalOptions.get('source-address')
  if (networks !== undefined && (expected.sourceAddress === undefined || !addressMatches(expected.sourceAddress, networks))) {
    refuse('source-address', `The certificate may not be used from ${expected.sourceAddress ?? 'an unknown address'}.`)
  }
}
