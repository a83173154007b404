/** Web sessions and bearers. Ids are kept as SHA-256 only, so a copy of the database signs nobody in. Times are epoch milliseconds. */
export interface WebSessionsTable {
  hash: string
  user: string
  /** All sessions renewed from one sign-in share it; they end together. */
  login_id: string
  login_time: number
  login_ip: string
  /** Of the sign-in; of outside. */
  user_agent: string
  /** The second-factor device with which they signed in. */
  mfa_device: string | null
  /** JSON: the access requests that it has assumed. */
  assumed: string
  expires: number
}

export interface BearersTable {
  hash: string
  user: string
  login_id: string
  /** The bearer sealed by the master key: the page shows the current one again after a reload. */
  sealed: string
  created: number
  expires: number
}
