/** What the cluster's second-factor mode means. */
import type { SecondFactor } from '@sallyport/wire/config.ts'

export const allowsKeys = (mode: SecondFactor): boolean => mode === 'webauthn' || mode === 'on' || mode === 'optional'
export const allowsCodes = (mode: SecondFactor): boolean => mode === 'otp' || mode === 'on' || mode === 'optional'

/** The second factor to suggest; undefined when there is nothing to suggest. */
export function preferredMfa(mode: SecondFactor): 'webauthn' | 'otp' | undefined {
  if (mode === 'off') return undefined
  return mode === 'otp' ? 'otp' : 'webauthn'
}
