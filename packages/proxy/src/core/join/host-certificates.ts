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

const looksLikeId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu

export interface HostCertificates {
  /** `expires` in epoch milliseconds. */
  issue(host: { id: string; publicKey: string; hostname: string }): { certificate: Certificate; line: string; expires: number }
  needsRenewal(certificate: Certificate, hostname: string): boolean
  news(): Omit<ClusterNews, 'certificate'>
}

export interface HostCertificateDeps {
  authorities: Pick<Authorities, 'issueHostCertificate' | 'userCa' | 'hostCa'>
  clock: Clock
  clusterName: string
}

export function createHostCertificates({ authorities, clock, clusterName }: HostCertificateDeps): HostCertificates {
  // A host names itself: that must not make it another one, which is known by its id.
  const namesOf = (hostname: string): string[] => (looksLikeId.test(hostname) ? [] : [hostname])
  return {
    issue({ id, publicKey, hostname }) {
      const certificate = authorities.issueHostCertificate({
        publicKey: parsePublicKey(publicKey),
        hostId: id,
        names: namesOf(hostname),
        ttlSeconds: hostCertificateTtl / 1000,
      })
      return { certificate, line: formatCertificate(certificate), expires: Number(certificate.validBefore) * 1000 }
    },
    needsRenewal: ({ validBefore, principals }, hostname) =>
      Number(validBefore) * 1000 - clock.now() < renewBelow || !namesOf(hostname).every((name) => principals.includes(name)),
    news: () => ({
      cluster: clusterName,
      userCa: authorities.userCa.trusted.map((key) => formatPublicKey(key)),
      hostCa: authorities.hostCa.trusted.map((key) => formatPublicKey(key)),
    }),
  }
}
