/** Who is calling: a signed-in user with the access that their roles give at this moment. */
import type { AccessChecker } from './access/checker.ts'

export interface Caller {
  username: string
  roles: readonly string[]
  traits: Readonly<Record<string, readonly string[]>>
  access: AccessChecker
  /** Id of the web session (64 hex), never sent to a client. */
  sessionId: string
  /** Id of the second-factor device with which they signed in. */
  mfaDevice?: string | undefined
  /** Epoch milliseconds at which the web session ends. */
  sessionExpires: number
  /** Aborts when the web session ends (sign-out, expiry, deletion); live sockets close on it. */
  signal: AbortSignal
}
