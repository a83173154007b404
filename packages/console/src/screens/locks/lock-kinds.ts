/** What can be locked, in the words of the console. */
import { lockTargetNames } from '@sallyport/wire/entities/lock.ts'
import type { LockTarget, LockTargets } from '@sallyport/wire/entities/lock.ts'

/** One thing to lock. */
export interface Choice {
  kind: LockTarget
  /** As the lock names it. */
  value: string
  /** As people know it. */
  name: string
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

export const isSame = (a: Choice, b: Choice): boolean => a.kind === b.kind && a.value === b.value
export const keyOf = ({ kind, value }: Choice): string => `${kind}:${value}`
export const toTargets = ({ kind, value }: Choice): LockTargets => ({ [kind]: value })

/** The members of a lock; `nameOf` knows names for ids. */
export const choicesOf = (targets: LockTargets, nameOf: (kind: LockTarget, value: string) => string | undefined): Choice[] =>
  lockTargetNames.flatMap((kind) => {
    const value = targets[kind]
    return value === undefined ? [] : [{ kind, value, name: nameOf(kind, value) ?? value }]
  })

/** `user: bob, login: root` */
export const choiceText = (choices: readonly Choice[]): string => choices.map(({ kind, name }) => `${kindWords[kind]}: ${name}`).join(', ')
