/** What a local user signs in with, one row per user that ever got a link or a password. */
export interface CredentialsTable {
  user: string
  /** argon2id in PHC form; null while no password is set (a new invite, a passwordless account). */
  password_hash: string | null
  /** Random UUID that hardware keys know the user by. */
  user_handle: string
}
