/** Web sessions that a lock has ended, kept until they would have expired: their cookie learns why as long as the lock is there. */
export interface LockedSessionsTable {
  /** Of the session id, as in `web_sessions`. */
  hash: string
  user: string
  mfa_device: string | null
  expires: number
}
