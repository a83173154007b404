/** Outstanding challenges for hardware keys. */
export interface MfaChallengesTable {
  /** `login:{user}`, `confirm:{user}`, `register:{user}`, or `passwordless:{hash}`: a newer one of a user replaces the older. */
  id: string
  /** base64url. */
  challenge: string
  /** What a registered key must be able to do. */
  usage: 'mfa' | 'passwordless'
  /** Epoch milliseconds. */
  expires: number
}
