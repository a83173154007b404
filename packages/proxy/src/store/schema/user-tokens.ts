/** Links that set up accounts, and tokens of a proof. The token itself is nowhere: only its SHA-256. */
export interface UserTokensTable {
  hash: string
  kind: 'invite' | 'password' | 'privilege' | 'privilege_exception' | 'recovery_start' | 'recovery_approved'
  user: string
  created: number
  /** Epoch milliseconds. */
  expires: number
  /** The authenticator secret that was shown last, sealed by the master key. */
  totp_secret: string | null
  /** Recovery: what has to be replaced; null for other kinds, and once it was. */
  lost: 'password' | 'mfa' | null
}
