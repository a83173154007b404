/** Second factors by the cluster's mode: which may be chosen, and which to begin with. */
import { CircleSlash, KeyRound, Smartphone } from 'lucide-react'
import type { AuthConfig, SecondFactor } from '@sallyport/wire/config.ts'
import type { MfaDevice } from '@sallyport/wire/entities/mfa.ts'

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

/** Those of them that somebody with these devices can use. */
export const ownFactors = (mode: SecondFactor, devices: readonly MfaDevice[]): readonly Factor[] =>
  factorChoices(mode).filter((factor) => devices.some(({ description }) => description === descriptions[factor]))

const descriptions: Record<Factor, MfaDevice['description'] | undefined> = {
  key: 'Hardware Key',
  app: 'Authenticator App',
  none: undefined,
}

/** The choice to begin with: the last one made here if it is still offered, else the cluster's suggestion. */
export function firstFactor(
  auth: Pick<AuthConfig, 'second_factor' | 'preferredLocalMfa'>,
  last: string | null,
  choices = factorChoices(auth.second_factor),
): Factor {
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
