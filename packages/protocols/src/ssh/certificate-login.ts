/** A request to sign in with a certificate, as an SSH server gets it. */
import type { KeyObject } from 'node:crypto'
import type { Certificate } from './certificate.ts'
import { certificateAlgorithms, parseCertificate } from './certificate.ts'
import { encodePublicKey, verifySsh } from './keys.ts'
import { CertificateRefused, verifyCertificate } from './verify-certificate.ts'
import type { CertificateExpectation } from './verify-certificate.ts'

export interface CertificateLogin {
  readonly key: { readonly algo: string; readonly data: Buffer }
  /** What the client signed, and its whole signature; absent when it only asks whether the certificate would do. */
  readonly blob?: Buffer | undefined
  readonly signature?: Buffer | undefined
}

/**
 * Verifies the certificate and, where there is one, the signature of the certified key over this very request. Without
 * `isProved` nothing is proved yet, and nothing may be remembered. Throws CertificateRefused, ProtocolError.
 */
export function readCertificateLogin(
  login: CertificateLogin,
  expected: CertificateExpectation,
): { certificate: Certificate; isProved: boolean } {
  const certificate = readCertificate(login)
  verifyCertificate(certificate, expected)
  return { certificate, isProved: isSigned(login, certificate) }
}

/**
 * Verifies that the request is signed with this very key, whatever the certificate around it says: who that is was proved
 * elsewhere. Throws CertificateRefused, ProtocolError.
 */
export function readHolderOf(key: KeyObject, login: CertificateLogin): { isProved: boolean } {
  const certificate = readCertificate(login)
  if (!encodePublicKey(certificate.publicKey).equals(encodePublicKey(key)))
    throw new CertificateRefused('bad-signature', 'the certificate is over another key than the one that opened the way here')
  return { isProved: isSigned(login, certificate) }
}

function readCertificate({ key }: CertificateLogin): Certificate {
  if (!certificateAlgorithms.includes(key.algo))
    throw new CertificateRefused('wrong-kind', `a plain key or an unsupported certificate was shown (${key.algo})`)
  const certificate = parseCertificate(key.data)
  if (certificate.algorithm !== key.algo) throw new CertificateRefused('wrong-kind', 'the certificate is of another kind than announced')
  return certificate
}

/** False for the mere question. Throws CertificateRefused for a wrong signature. */
function isSigned({ blob, signature }: CertificateLogin, { publicKey }: Certificate): boolean {
  if (signature && (!blob || !verifySsh(publicKey, blob, signature)))
    throw new CertificateRefused('bad-signature', 'the request is not signed with the certified key')
  return signature !== undefined
}
