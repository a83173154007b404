/** How a host may prove itself when it has no certificate of this cluster. */
export interface PlainHostKey {
  /** E.g. `ssh-ed25519`. */
  readonly type: string
  /** `SHA256:…` */
  readonly fingerprint: string
}

export interface HostKeyPolicy {
  /** Types of keys that may be negotiated; empty where nothing but a certificate counts. */
  readonly types: readonly string[]
  /** Why the host is not to be trusted with this key; undefined when it is. What that decides is durable by then. */
  whyNot(key: PlainHostKey): Promise<string | undefined>
}
