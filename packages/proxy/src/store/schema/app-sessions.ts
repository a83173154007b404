/** Sessions that browsers have on applications. Of what a browser shows only the SHA-256 is kept. Times are epoch milliseconds. */
export interface AppSessionsTable {
  hash: string
  subject_hash: string
  /** As active sessions and the audit log call it. */
  sid: string
  user: string
  /** The sign-in that it lives on. */
  login_id: string
  /** As in the row of the web session with which it was begun: it ends when none of the sign-in has the same any more. */
  assumed: string
  app: string
  /** The only host name on which it counts. */
  host: string
  expires: number
}
