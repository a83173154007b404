/** Sign-ins through providers that are under way. Ids are kept as SHA-256, documents sealed by the master key. */
export interface SsoRequestsTable {
  hash: string
  /** What was begun, as sealed JSON. */
  sealed: string
  /** Epoch milliseconds. */
  expires: number
}

/** Assertions that were used: the second use of one is refused. */
export interface SamlAssertionsTable {
  /** SHA-256 over issuer and id. */
  hash: string
  /** Epoch milliseconds after which it would be refused anyway. */
  expires: number
}

/** Test sign-ins of administrators and what came of them. */
export interface ConnectorTestsTable {
  hash: string
  /** Who began it and may read it. */
  user: string
  /** The result as sealed JSON; null while nobody came back. */
  sealed: string | null
  expires: number
}
