/** Whom people may become on what is no server: names of databases, users of clusters, logins of desktops. */
import type { RoleLabels, LabelledKind } from './role-labels.ts'
import type { LabelJudge } from './label-judge.ts'
import { matchesAny } from './match.ts'
import type { Labels } from './match.ts'
import type { Role } from './role.ts'
import { expandAll } from './templates.ts'
import type { Traits } from './templates.ts'

/** Fields of roles whose values are principals. */
export const principalFields = [
  'db_names',
  'db_users',
  'db_roles',
  'kubernetes_groups',
  'kubernetes_users',
  'windows_desktop_logins',
  'aws_role_arns',
] as const
export type PrincipalField = (typeof principalFields)[number]
/** What is asked for: one value of each field that matters. */
export type WantedPrincipals = Readonly<Partial<Record<PrincipalField, string>>>

/** `lacksDevice`: from a trusted device it would be allowed. */
export type AccessDecision = { allowed: true; role: string } | { allowed: false; reason: string; lacksDevice?: true }

/** Why somebody whose roles would allow it opens nothing. */
export const lacksDeviceText =
  'A role of yours asks for a trusted device: sign in on an enrolled one with "sallyport login" and connect from there. Browsers cannot prove a device.'

export interface ResourceAccess {
  /**
   * What roles that allow a resource with these labels name in a field, sorted, without what a role denies. Values may be
   * patterns as roles write them, such as `*`.
   */
  principals(kind: LabelledKind, labels: Labels, field: PrincipalField): string[]
  /** One role has to allow the labels together with everything that is asked for; no role may deny any of it. */
  checkResource(kind: LabelledKind, labels: Labels, wanted?: WantedPrincipals): AccessDecision
  /** Whether a session asks for a second factor: all roles demand it, or every role that grants this access does. */
  resourceNeedsMfa(kind: LabelledKind, labels: Labels, wanted?: WantedPrincipals): boolean
}

export interface ResourceAccessDeps {
  /** Those that a person holds, the implicit one among them. */
  roles: readonly Role[]
  traits: Traits
  judgeOf: (kind: LabelledKind) => LabelJudge
  /** Names of the roles that ask for a second factor with every session. */
  demanding: ReadonlySet<RoleLabels['role']>
  /** Whether all of the person's own roles do. */
  allDemand: boolean
  /** Whether a role asks for a trusted device, and there is none. */
  lacksDevice: boolean
}

export function createResourceAccess({ roles, traits, judgeOf, demanding, allDemand, lacksDevice }: ResourceAccessDeps): ResourceAccess {
  const fields = new Map<PrincipalField, { role: string; allow: readonly string[]; deny: readonly string[] }[]>()
  const rolesIn = (field: PrincipalField) => {
    let known = fields.get(field)
    if (!known) {
      known = roles.map(({ metadata, spec }) => ({
        role: metadata.name,
        allow: expandAll(spec.allow[field], traits),
        deny: expandAll(spec.deny[field], traits),
      }))
      fields.set(field, known)
    }
    return known
  }
  const isDenied = (field: PrincipalField, value: string): boolean => rolesIn(field).some(({ deny }) => matchesAny(deny, value))
  /** Names of the roles that allow all of it. */
  function granting(allowedBy: ReadonlySet<string>, wanted: WantedPrincipals): string[] {
    const asked = entriesOf(wanted)
    return [...allowedBy].filter((name) =>
      asked.every(([field, value]) => rolesIn(field).some(({ role, allow }) => role === name && matchesAny(allow, value))),
    )
  }
  return {
    principals(kind, labels, field) {
      const { denied, allowedBy } = judgeOf(kind)(labels)
      if (denied) return []
      const named = rolesIn(field).flatMap(({ role, allow }) => (allowedBy.has(role) ? allow : []))
      return [...new Set(named)].filter((value) => !isDenied(field, value)).toSorted()
    },
    checkResource(kind, labels, wanted = {}) {
      const { denied, allowedBy } = judgeOf(kind)(labels)
      const refuse = (why: string): AccessDecision => ({
        allowed: false,
        reason: `access to ${kind} denied. User does not have permissions. ${why}`,
      })
      if (denied) return refuse('A role denies this resource.')
      for (const [field, value] of entriesOf(wanted)) if (isDenied(field, value)) return refuse(`A role denies "${value}" in ${field}.`)
      if (allowedBy.size === 0) return refuse('No role allows this resource.')
      const [role] = granting(allowedBy, wanted)
      if (role !== undefined && lacksDevice) return { allowed: false, reason: `access to ${kind} denied. ${lacksDeviceText}`, lacksDevice }
      if (role !== undefined) return { allowed: true, role }
      const asked = entriesOf(wanted).map(([field, value]) => `"${value}" in ${field}`)
      return refuse(`No role allows ${asked.join(' together with ')} on it.`)
    },
    resourceNeedsMfa(kind, labels, wanted = {}) {
      if (demanding.size === 0 || allDemand) return demanding.size > 0
      const { denied, allowedBy } = judgeOf(kind)(labels)
      if (denied) return false
      const names = granting(allowedBy, wanted)
      return names.length > 0 && names.every((name) => demanding.has(name))
    },
  }
}

const entriesOf = (wanted: WantedPrincipals) => Object.entries(wanted) as [PrincipalField, string][]
