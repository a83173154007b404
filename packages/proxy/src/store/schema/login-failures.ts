/** Consecutive failures of one user: of signing in, and in a table of their own those of recovering an account. */
export interface LoginFailuresTable {
  user: string
  count: number
  /** Epoch milliseconds of the first failure that counts. */
  first: number
  /** Epoch milliseconds; 0 when not locked. */
  locked_until: number
}
