/** Who is calling: a signed-in user with the access that their roles give at this moment. */
import type { AssumedRequest, Assuming } from './access/assumed.ts'

/** Somebody who proved who they are, in whatever way they came. */
export interface Actor extends Assuming {
  username: string
  roles: readonly string[]
  traits: Readonly<Record<string, readonly string[]>>
  /** The access requests that their session has assumed. */
  assumed?: readonly AssumedRequest[] | undefined
  /** Id of the second-factor device with which they signed in. */
  mfaDevice?: string | undefined
  /** Aborts when what they signed in with counts no more; whatever they have open closes on it. */
  signal: AbortSignal
}

/** Somebody with a web session; the signal aborts when it ends (sign-out, expiry, deletion). */
export interface Caller extends Actor {
  /** Id of the web session (64 hex), never sent to a client. */
  sessionId: string
  /** Epoch milliseconds at which the web session ends. */
  sessionExpires: number
}
