import type { AssumedRequest } from '../../../core/access/assumed.ts'
import type { AccessChecker } from '../../../core/access/checker.ts'
import type { Clock } from '../../../core/clock.ts'
import type { EndReason } from '../../../core/sessions/end-reason.ts'

export interface Expiring {
  access: AccessChecker
  assumed: readonly AssumedRequest[]
  /** Epoch milliseconds. */
  expires: number
}

const expired: EndReason = {
  kind: 'cut',
  text: 'The session is closed: your certificate has expired. Sign in again.',
  disconnected: 'the client certificate expired',
}

/** A certificate with access that was assumed, or where a role asks for it, takes what it opened along when it runs out. */
export function watchExpiry({ access, assumed, expires }: Expiring, clock: Clock, onEnd: (reason: EndReason) => void): Disposable {
  if (!access.options.disconnectExpiredCert && assumed.length === 0) return { [Symbol.dispose]: () => undefined }
  // A certificate lives for hours; what is longer than a timer can be is longer than anybody stays.
  const left = Math.min(Math.max(0, expires - clock.now()), 2 ** 31 - 1)
  const timer = setTimeout(() => onEnd(expired), left)
  return { [Symbol.dispose]: () => clearTimeout(timer) }
}
