/** The roles that a person holds, prepared for decisions: templates filled in, the implicit role added. */
import { implicitRole } from './implicit-role.ts'
import { labelsOf } from './role-labels.ts'
import type { ConditionUser, LabelField, RoleLabels } from './role-labels.ts'
import type { Role } from './role.ts'
import type { RoleRules } from './rules.ts'
import { expandAll } from './templates.ts'
import type { Traits } from './templates.ts'

export interface AccessSubject {
  username: string
  /** Roles that the user holds; the implicit role is added. */
  roles: readonly Role[]
  traits: Traits
  /** Whether they come from a device that has proved itself. */
  onTrustedDevice?: boolean
}

export interface RolePrincipals {
  role: string
  /** Whether it names logins at all, usable or not. */
  namesLogins: boolean
  allowLogins: readonly string[]
  /** These are patterns. */
  denyLogins: readonly string[]
}

export interface HeldRoles {
  user: ConditionUser
  rules: readonly RoleRules[]
  principals: readonly RolePrincipals[]
  labels(field: LabelField): RoleLabels[]
}

/** Names that a system takes as a login: no option of a command, no path. */
const validLogin = /^[A-Za-z0-9_][\w.@+\\-]{0,254}\$?$/

export function holdRoles({ username, roles, traits }: AccessSubject): HeldRoles {
  const held = [...roles, implicitRole]
  const user = { metadata: { name: username }, spec: { roles: roles.map(({ metadata }) => metadata.name), traits } }
  return {
    user,
    rules: held.map(({ metadata, spec }) => ({ role: metadata.name, allow: spec.allow.rules, deny: spec.deny.rules })),
    principals: held.map(({ metadata, spec }) => ({
      role: metadata.name,
      namesLogins: expandAll(spec.allow.logins, traits).length > 0,
      allowLogins: expandAll(spec.allow.logins, traits).filter((login) => validLogin.test(login)),
      denyLogins: expandAll(spec.deny.logins, traits),
    })),
    labels: (field) => held.map((role) => labelsOf(role, field, user)),
  }
}
