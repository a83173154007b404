/** A request to sign in with a certificate, as an SSH server gets it. */
import type { Certificate } from './certificate.ts'
import { certificateAlgorithms, parseCertificate } from './certificate.ts'
import { verifySsh } from './keys.ts'
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
  { key, blob, signature }: CertificateLogin,
  expected: CertificateExpectation,
): { certificate: Certificate; isProved: boolean } {
  if (!certificateAlgorithms.includes(key.algo))
    throw new CertificateRefused('wrong-kind', `a plain key or an unsupported certificate was shown (${key.algo})`)
  const certificate = parseCertificate(key.data)
  if (certificate.algorithm !== key.algo) throw new CertificateRefused('wrong-kind', 'the certificate is of another kind than announced')
  verifyCertificate(certificate, expected)
  if (signature && (!blob || !verifySsh(certificate.publicKey, blob, signature)))
    throw new CertificateRefused('bad-signature', 'the request is not signed with the certified key')
  return { certificate, isProved: signature !== undefined }
}
