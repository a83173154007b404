/** As whom the proxy's own SSH service proves itself: one key of this process, with a certificate for the names at hand. */
import { generateKeyPairSync } from 'node:crypto'
import type { HostIdentity } from '@sallyport/protocols/ssh/certified-host-key.ts'
import type { Authorities } from '../../../core/authorities/authorities.ts'

/** Certificates are made for one connection; clients look at them at every key exchange of it. */
const ttlSeconds = 7 * 24 * 3600

export interface HostIdentities {
  /** At least one name. */
  of(names: readonly [string, ...string[]]): HostIdentity
}

export function createHostIdentities(authorities: Pick<Authorities, 'issueHostCertificate'>): HostIdentities {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return {
    of: ([hostId, ...names]) => ({ privateKey, certificate: authorities.issueHostCertificate({ publicKey, hostId, names, ttlSeconds }) }),
  }
}
