/** Who lives in the test world. */
import { userInfo } from 'node:os'

export const names = ['alice', 'bob', 'carol', 'dan'] as const
export type Name = (typeof names)[number]

/** alice may do everything, bob uses servers, carol looks at what happened, dan has no rights at all. */
export const roles: Record<Name, readonly string[]> = {
  alice: ['editor', 'access', 'auditor'],
  bob: ['access'],
  carol: ['auditor'],
  dan: [],
}

/** The login that this process may become without being root. */
export const ownLogin = userInfo().username

export const logins: Record<Name, readonly string[]> = {
  alice: [...new Set(['root', ownLogin])],
  bob: [ownLogin],
  carol: [],
  dan: [],
}

export const passwordOf = (name: Name): string => `${name} opens the sally port`
