/** What a change of one role makes of everything: for the guard that keeps the last administrator. */
import { badParameter } from '../errors.ts'
import type { User } from '../users.ts'
import type { Administration } from './last-administrator.ts'
import type { Role } from './role.ts'

export const withRole = (now: Administration, role: Role): Administration => ({
  ...now,
  roles: [...now.roles.filter(({ metadata }) => metadata.name !== role.metadata.name), role],
})

/** Throws bad parameter while somebody holds it. */
export const withoutRole =
  (name: string) =>
  (now: Administration): Administration => {
    refuseHeld(name, now.users)
    return { ...now, roles: now.roles.filter(({ metadata }) => metadata.name !== name) }
  }

const namedHolders = 5

function refuseHeld(name: string, users: readonly User[]): void {
  const holders = users.filter(({ spec }) => spec.roles.includes(name)).map(({ metadata }) => `"${metadata.name}"`)
  if (holders.length === 0) return
  const others = holders.length - namedHolders
  const shown = holders.slice(0, namedHolders).join(', ') + (others > 0 ? ` and ${others} more` : '')
  throw badParameter(`role "${name}" is still in use: take it from ${shown} first`)
}
