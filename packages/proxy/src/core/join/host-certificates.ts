/** Certificates of joined hosts, and what a host has to know of its cluster. */
import { formatCertificate } from '@sallyport/protocols/ssh/certificate.ts'
import type { Certificate } from '@sallyport/protocols/ssh/certificate.ts'
import { formatPublicKey, parsePublicKey } from '@sallyport/protocols/ssh/keys.ts'
import type { ClusterNews } from '@sallyport/wire/tunnel.ts'
import type { Authorities } from '../authorities/authorities.ts'
import type { Clock } from '../clock.ts'

const day = 24 * 3_600_000
/** For so long a host may be switched off and still come back by itself. */
export const hostCertificateTtl = 30 * day
/** Less than this left: it is renewed. */
const renewBelow = 20 * day

export interface HostCertificates {
  /** For its id alone: how a host calls itself proves nothing. `expires` in epoch milliseconds. */
  issue(host: { id: string; publicKey: string }): { certificate: Certificate; line: string; expires: number }
  needsRenewal(certificate: Certificate): boolean
  news(): Omit<ClusterNews, 'certificate'>
}

export interface HostCertificateDeps {
  authorities: Pick<Authorities, 'issueHostCertificate' | 'userCa' | 'hostCa'>
  clock: Clock
  clusterName: string
}

export function createHostCertificates({ authorities, clock, clusterName }: HostCertificateDeps): HostCertificates {
  return {
    issue({ id, publicKey }) {
      const certificate = authorities.issueHostCertificate({
        publicKey: parsePublicKey(publicKey),
        hostId: id,
        ttlSeconds: hostCertificateTtl / 1000,
      })
      return { certificate, line: formatCertificate(certificate), expires: Number(certificate.validBefore) * 1000 }
    },
    needsRenewal: ({ validBefore }) => Number(validBefore) * 1000 - clock.now() < renewBelow,
    news: () => ({
      cluster: clusterName,
      userCa: authorities.userCa.trusted.map((key) => formatPublicKey(key)),
      hostCa: authorities.hostCa.trusted.map((key) => formatPublicKey(key)),
    }),
  }
}
