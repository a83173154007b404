/** Looking for what one could ask access to: lists shown as if one held more roles than one does. */
import type { AccessIdentity, AccessService } from './access.ts'
import type { AccessChecker } from './checker.ts'
import type { Role } from './role.ts'

/** What one role denies, no other allows. */
export function rolesToSearchAs(roles: readonly Role[]): string[] {
  const denied = new Set(roles.flatMap(({ spec }) => spec.deny.request?.search_as_roles ?? []))
  const allowed = new Set(roles.flatMap(({ spec }) => spec.allow.request?.search_as_roles ?? []))
  return [...allowed.difference(denied)]
}

/**
 * For lists only: whoever acts is judged by their own roles. The own roles stay among them, so that what those deny
 * is not shown. Undefined when there are no roles to search as.
 */
export async function searchChecker(
  service: AccessService,
  { username, roles, traits, access }: AccessIdentity & { access: AccessChecker },
): Promise<AccessChecker | undefined> {
  if (access.searchAsRoles.length === 0) return undefined
  return service.checker({ username, roles: [...roles, ...access.searchAsRoles], traits })
}
