/** Invite and reset links. The token itself is nowhere: only its SHA-256. */
export interface UserTokensTable {
  hash: string
  kind: 'invite' | 'password' | 'privilege' | 'privilege_exception'
  user: string
  created: number
  /** Epoch milliseconds. */
  expires: number
  /** The authenticator secret that was shown last, sealed by the master key. */
  totp_secret: string | null
}
