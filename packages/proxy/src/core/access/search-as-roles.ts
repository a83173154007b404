/** Looking for what one could ask access to: lists shown as if one held more roles than one does. */
import type { AccessIdentity, AccessService } from './access.ts'
import type { AccessChecker } from './checker.ts'

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
