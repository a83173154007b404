/** The roles with which somebody may look for what they could ask access to. */
import type { Role } from './role.ts'

/** What one role denies, no other allows. */
export function rolesToSearchAs(roles: readonly Role[]): string[] {
  const denied = new Set(roles.flatMap(({ spec }) => spec.deny.request?.search_as_roles ?? []))
  const allowed = new Set(roles.flatMap(({ spec }) => spec.allow.request?.search_as_roles ?? []))
  return [...allowed.difference(denied)]
}
