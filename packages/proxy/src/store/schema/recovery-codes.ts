/** Codes that open an account when its password or second factor is lost. A used one is gone. */
export interface RecoveryCodesTable {
  /** SHA-256 of user and code: the code itself is nowhere. */
  hash: string
  user: string
  /** Epoch milliseconds. */
  created: number
}
