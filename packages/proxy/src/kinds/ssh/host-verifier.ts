/** Whether a server is the one that was meant: by a certificate of this cluster, or by a key that was trusted before. */
import type { KeyObject } from 'node:crypto'
import { certificateSuffix, parseCertificate } from '@sallyport/protocols/ssh/certificate.ts'
import { decodePublicKey, fingerprint, keyType } from '@sallyport/protocols/ssh/keys.ts'
import { verifyCertificate } from '@sallyport/protocols/ssh/verify-certificate.ts'
import { SshReader } from '@sallyport/protocols/ssh/wire.ts'
import type { Client } from 'ssh2'
import type { HostKeyPolicy } from '../../core/tunnel/host-keys.ts'
import { acceptHostCertificate } from './ssh2-certificates.ts'

/** The host certificate has to be signed by one of `trustedCas` and list one of `names`, or `plain` takes the key. */
export interface HostExpectation {
  readonly trustedCas: readonly KeyObject[]
  readonly names: readonly string[]
  readonly plain?: HostKeyPolicy | undefined
}

type Verdict = boolean | undefined
type Verifier = (blob: Buffer, answer: (accepted: boolean) => void) => Verdict

/** SSH signs with SHA-2 under names of its own for RSA keys. */
export const plainAlgorithms = (types: readonly string[]): string[] =>
  types.flatMap((type) => (type === 'ssh-rsa' ? ['rsa-sha2-512', 'rsa-sha2-256'] : [type]))

/** To be called at each key exchange; `refuse` learns why the answer is no. */
export function createHostVerifier(
  client: Client,
  { trustedCas, names, plain, clock }: HostExpectation & { clock: { now(): number } },
  refuse: (reason: string, cause: unknown) => void,
): Verifier {
  const accepted = new Set<string>()
  const no = (error: unknown): false => {
    refuse(error instanceof Error ? error.message : 'unknown reason', error)
    return false
  }
  /** Undefined: `answer` is called later. */
  function judgeKey(key: KeyObject, policy: HostKeyPolicy, answer: (accepted: boolean) => void): Verdict {
    const shown = { type: keyType(key), fingerprint: fingerprint(key) }
    if (accepted.has(shown.fingerprint)) return true
    policy.whyNot(shown).then(
      (reason) => {
        if (reason === undefined) accepted.add(shown.fingerprint)
        else refuse(reason, undefined)
        answer(reason === undefined)
      },
      (error: unknown) => answer(no(error)),
    )
    return undefined
  }
  return (blob, answer) => {
    try {
      if (!new SshReader(blob, 'host key').text().endsWith(certificateSuffix)) {
        if (!plain) throw new Error('It showed no certificate.')
        return judgeKey(decodePublicKey(blob), plain, answer)
      }
      const certificate = parseCertificate(blob)
      acceptHostCertificate(client, certificate)
      try {
        verifyCertificate(certificate, { kind: 'host', trusted: trustedCas, principals: names, now: clock.now() })
        return true
      } catch (error) {
        if (!plain) throw error
        return judgeKey(certificate.publicKey, plain, answer)
      }
    } catch (error) {
      return no(error)
    }
  }
}
