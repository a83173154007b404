/** The certificate that each desktop showed first: the one that it has to show from then on. */
export interface DesktopCertificatesTable {
  /** Of the desktop. */
  name: string
  /** What the desktop was then: another revision of its document, or another address, begins anew. */
  place: string
  /** SHA-256 of the certificate, in hex. */
  fingerprint: string
}
