/** Consecutive failures of one user. */
export interface LoginFailuresTable {
  user: string
  count: number
  /** Epoch milliseconds of the first failure that counts. */
  first: number
  /** Epoch milliseconds; 0 when not locked. */
  locked_until: number
}
