/** Second factors by the cluster's mode: which may be chosen, and which to begin with. */
import { CircleSlash, KeyRound, Smartphone } from 'lucide-react'
import type { AuthConfig, SecondFactor } from '@sallyport/wire/config.ts'

export type Factor = 'key' | 'app' | 'none'

const factors: Record<SecondFactor, readonly Factor[]> = {
  off: [],
  otp: ['app'],
  webauthn: ['key'],
  on: ['key', 'app'],
  optional: ['key', 'app', 'none'],
}

/** The second factors that may be chosen, in order. */
export const factorChoices = (mode: SecondFactor): readonly Factor[] => factors[mode]

/** The choice to begin with: the last one made here if it is still offered, else the cluster's suggestion. */
export function firstFactor(auth: Pick<AuthConfig, 'second_factor' | 'preferredLocalMfa'>, last: string | null): Factor {
  const choices = factorChoices(auth.second_factor)
  const suggested: Factor = auth.preferredLocalMfa === 'otp' ? 'app' : 'key'
  return choices.find((choice) => choice === last) ?? choices.find((choice) => choice === suggested) ?? choices[0] ?? 'none'
}

export const factorLooks = {
  key: { label: 'Security key', icon: KeyRound },
  app: { label: 'Authenticator app', icon: Smartphone },
  none: { label: 'None', icon: CircleSlash },
} as const

/** A factor as one of `count` segments in a card; three words leave no room for icons. */
export const segmentLook = (factor: Factor, count: number) => (count > 2 ? { label: factorLooks[factor].label } : factorLooks[factor])
