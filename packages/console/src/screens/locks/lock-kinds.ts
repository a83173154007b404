/** What can be locked, in the words of the console. */
import { lockTargetNames } from '@sallyport/wire/entities/lock.ts'
import type { LockTarget, LockTargets } from '@sallyport/wire/entities/lock.ts'
import type { Choice } from '../../parts/choose/choices.ts'

/** One thing to lock. */
export interface LockChoice extends Choice {
  kind: LockTarget
}

export const kindWords: Record<LockTarget, string> = {
  user: 'user',
  role: 'role',
  login: 'login',
  node: 'server',
  mfa_device: 'MFA device',
  windows_desktop: 'desktop',
  access_request: 'access request',
  device: 'trusted device',
}

export const wordOf = ({ kind }: LockChoice): string => kindWords[kind]
export const toTargets = ({ kind, value }: LockChoice): LockTargets => ({ [kind]: value })

/** The members of a lock; `nameOf` knows names for ids. */
export const choicesOf = (targets: LockTargets, nameOf: (kind: LockTarget, value: string) => string | undefined): LockChoice[] =>
  lockTargetNames.flatMap((kind) => {
    const value = targets[kind]
    return value === undefined ? [] : [{ kind, value, name: nameOf(kind, value) ?? value }]
  })

/** `user: bob, login: root` */
export const choiceText = (choices: readonly LockChoice[]): string =>
  choices.map(({ kind, name }) => `${kindWords[kind]}: ${name}`).join(', ')
