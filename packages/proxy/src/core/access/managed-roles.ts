/** Roles as documents for export and import. */
import type { Audit } from '../audit/audit.ts'
import { storedKind } from '../resources/managed-kinds.ts'
import type { ManagedKind } from '../resources/managed-kinds.ts'
import type { AdministratorGuard } from './last-administrator.ts'
import { withRole, withoutRole } from './role-changes.ts'
import { roleKind } from './role.ts'
import type { RoleStore } from './role.ts'

export interface ManagedRolesDeps {
  roles: RoleStore
  audit: Pick<Audit, 'emit'>
  administrators: AdministratorGuard
}

export const managedRoles = ({ roles, audit, administrators }: ManagedRolesDeps): ManagedKind =>
  storedKind({
    definition: roleKind,
    store: roles,
    audit,
    codes: { saved: 'T9000I', removed: 'T9001I' },
    guard: ({ name, next }, act) => administrators.change(next ? (now) => withRole(now, next) : withoutRole(name), act),
  })
