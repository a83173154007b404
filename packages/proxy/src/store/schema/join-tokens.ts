/** Tokens with which agents join. The name of a token is its secret: it is found by its SHA-256 and stands in the sealed document only. */
export interface JoinTokensTable {
  hash: string
  /** The document as JSON text, sealed under the master key. */
  sealed: string
  /** Changes with every write. */
  revision: string
  /** Epoch milliseconds; null for a token without an end. */
  expires: number | null
}
