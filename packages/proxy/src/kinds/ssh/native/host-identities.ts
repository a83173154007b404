/** As whom the proxy's own SSH service proves itself: one key of this process, with a certificate for the names at hand. */
import { generateKeyPairSync } from 'node:crypto'
import type { Certificate } from '@sallyport/protocols/ssh/certificate.ts'
import type { HostIdentity } from '@sallyport/protocols/ssh/certified-host-key.ts'
import { formatPublicKey } from '@sallyport/protocols/ssh/keys.ts'
import type { Authorities } from '../../../core/authorities/authorities.ts'

/** Certificates are made for one connection; clients look at them at every key exchange of it. */
const ttlSeconds = 7 * 24 * 3600

export interface HostIdentities {
  /** At least one name. */
  of(names: readonly [string, ...string[]]): HostIdentity
  /** Line of the key, for others to certify. */
  readonly publicLine: string
  /** With a certificate of others over the key. */
  certified(certificate: Certificate): HostIdentity
}

export function createHostIdentities(authorities: Pick<Authorities, 'issueHostCertificate'>): HostIdentities {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return {
    publicLine: formatPublicKey(publicKey),
    certified: (certificate) => ({ privateKey, certificate }),
    of: ([hostId, ...names]) => ({ privateKey, certificate: authorities.issueHostCertificate({ publicKey, hostId, names, ttlSeconds }) }),
  }
}
