/** How a machine that does not know the proxy's authority recognises its certificate all the same. */
import { createHash, X509Certificate } from 'node:crypto'
import { getCACertificates } from 'node:tls'

export interface CertificatePins {
  /** Of the proxy's own certificate, as `curl --pinnedpubkey` takes it: `sha256//…`. */
  readonly curl: string
  /** Of the last certificate of the chain, which outlives the proxy's own: `sha256:` and hex. */
  readonly authority: string
}

const chainOf = (pem: string): X509Certificate[] =>
  pem
    .split(/(?=-----BEGIN CERTIFICATE-----)/)
    .filter((part) => part.startsWith('-----BEGIN CERTIFICATE-----'))
    .map((part) => new X509Certificate(part))

/** The certificate nearest to the root. */
export function lastOfChain(pem: string): Uint8Array {
  const last = chainOf(pem).at(-1)
  if (!last) throw new Error('there is no certificate in the chain')
  return last.raw
}

/** Undefined for a chain that every machine trusts anyway. */
export function pinsOf(pem: string): CertificatePins | undefined {
  const chain = chainOf(pem)
  const [own] = chain
  const last = chain.at(-1)
  if (!own || !last || isWellKnown(last)) return undefined
  return { curl: `sha256//${hashOfKey(own).toString('base64')}`, authority: `sha256:${hashOfKey(last).toString('hex')}` }
}

const hashOfKey = ({ publicKey }: X509Certificate): Buffer =>
  createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest()

const isWellKnown = (certificate: X509Certificate): boolean =>
  getCACertificates('bundled').some((pem) => {
    const root = new X509Certificate(pem)
    return certificate.checkIssued(root) && certificate.verify(root.publicKey)
  })
