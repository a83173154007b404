/** Who is calling: a signed-in user with the access that their roles give at this moment. */
import type { AssumedRequest, Assuming } from './access/assumed.ts'
import type { TrustedDevice } from './device-trust/device.ts'

/** Somebody who proved who they are, in whatever way they came. */
export interface Actor extends Assuming {
  username: string
  roles: readonly string[]
  traits: Readonly<Record<string, readonly string[]>>
  /** Whether it is a machine. */
  isBot?: boolean | undefined
  /** The access requests that their session has assumed. */
  assumed?: readonly AssumedRequest[] | undefined
  /** Id of the second-factor device with which they signed in. */
  mfaDevice?: string | undefined
  /** The device from which they come, when it has proved itself. */
  trustedDevice?: TrustedDevice | undefined
  /** Aborts when what they signed in with counts no more; whatever they have open closes on it. */
  signal: AbortSignal
}

/** Somebody with a web session; the signal aborts when it ends (sign-out, expiry, deletion). */
export interface Caller extends Actor {
  /** Id of the web session (64 hex), never sent to a client. */
  sessionId: string
  /** Epoch milliseconds at which the web session ends. */
  sessionExpires: number
  /** Of people of a root who came to it with a certificate. */
  certificate?: CertificateProof | undefined
}

/** What a certificate has proved. */
export interface CertificateProof {
  /** Line of the public key whose holder they are, over SSH. */
  key?: string | undefined
  /** Whether a hardware key has just confirmed the certificate. */
  confirmed: boolean
  /** Epoch milliseconds at which the certificate runs out. */
  expires: number
}
