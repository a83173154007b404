/** Tokens with which agents join. Only their SHA-256 is kept. */
export interface JoinTokensTable {
  hash: string
  /** Joined by commas. */
  roles: string
  /** Epoch milliseconds. */
  expires: number
}
