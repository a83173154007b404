/** What a person may do: the one place that decides, from roles, traits and labels alone. Deny always wins. */
import { aclAreas, areaKinds, flagVerbs } from '@sallyport/wire/acl.ts'
import type { Access, AclArea, ResourceKind, UserAclWire, Verb } from '@sallyport/wire/acl.ts'
import { implicitRole } from './implicit-role.ts'
import { matchesAny, matchesLabels } from './match.ts'
import type { LabelSelector, Labels } from './match.ts'
import type { Role } from './role.ts'
import { accessStrategy, combineOptions } from './role-options.ts'
import type { AccessStrategy, SessionOptions } from './role-options.ts'
import { decideRule } from './rules.ts'
import type { RuleDecision } from './rules.ts'
import { expandAll } from './templates.ts'
import type { Traits } from './templates.ts'
import type { Subject } from './where.ts'

/** Kinds whose visibility labels decide → the selector of a role. */
const labelFields = {
  node: 'node_labels',
  app: 'app_labels',
  db: 'db_labels',
  db_service: 'db_service_labels',
  kube_cluster: 'kubernetes_labels',
  windows_desktop: 'windows_desktop_labels',
  user_group: 'group_labels',
} as const
export type LabelledKind = keyof typeof labelFields

export type LoginDecision = { allowed: true; role: string } | { allowed: false; reason: string }

export interface AccessChecker {
  /**
   * Whether rules allow a verb on a kind. Without a subject, conditions of allow rules count as met and deny rules
   * with a condition do not count: right for a call whose items are then judged one by one.
   */
  allows(kind: ResourceKind, verb: Verb, subject?: Subject): boolean
  /** The same with the role that decided. */
  decide(kind: ResourceKind, verb: Verb, subject?: Subject): RuleDecision
  /** What the user context tells the console: a hint, every call is checked again. */
  acl(): UserAclWire
  canSee(kind: LabelledKind, labels: Labels): boolean
  canSeeNode(labels: Labels): boolean
  /** Logins allowed on a node, sorted; `hostLogins`, when known, are the only ones that exist there. */
  nodeLogins(labels: Labels, hostLogins?: readonly string[]): string[]
  checkNodeLogin(labels: Labels, login: string): LoginDecision
  /** Logins allowed on one node or another, sorted. */
  logins(): string[]
  /** True when roles name logins and none of them is left to use. */
  readonly lacksLogins: boolean
  readonly options: SessionOptions
  readonly accessStrategy: AccessStrategy
}

export interface AccessSubject {
  username: string
  /** Roles that the user holds; the implicit role is added. */
  roles: readonly Role[]
  traits: Traits
}

/** Names that a system takes as a login: no option of a command, no path. */
const validLogin = /^[A-Za-z0-9_][\w.@+\\-]{0,254}\$?$/
/** Areas whose feature this product does not have yet. */
const absentAreas: ReadonlySet<AclArea> = new Set(['plugins', 'billing', 'assist'])

interface Principals {
  role: string
  allowLogins: readonly string[]
  denyLogins: readonly string[]
}

export function createAccessChecker({ username, roles, traits }: AccessSubject): AccessChecker {
  const held = [...roles, implicitRole]
  const rules = held.map(({ metadata, spec }) => ({ role: metadata.name, allow: spec.allow.rules, deny: spec.deny.rules }))
  const user = { metadata: { name: username }, spec: { roles: roles.map(({ metadata }) => metadata.name), traits } }
  const decide = (kind: ResourceKind, verb: Verb, subject?: Subject): RuleDecision =>
    decideRule(rules, kind, verb, subject && { ...subject, user })
  const allows: AccessChecker['allows'] = (kind, verb, subject) => decide(kind, verb, subject).allowed

  const principals = held.map(({ metadata, spec }): Principals => ({
    role: metadata.name,
    allowLogins: expandAll(spec.allow.logins, traits).filter((login) => validLogin.test(login)),
    denyLogins: expandAll(spec.deny.logins, traits),
  }))
  const visibility = createVisibility(held, traits)
  const nodes = visibility('node')
  const loginDenied = (login: string): boolean => principals.some(({ denyLogins }) => matchesAny(denyLogins, login))

  const checkNodeLogin = (labels: Labels, login: string): LoginDecision => {
    const { denied, allowedBy } = nodes(labels)
    const refuse = (why: string): LoginDecision => ({
      allowed: false,
      reason: `access to node denied. User does not have permissions. ${why}`,
    })
    if (denied) return refuse('A role denies this server.')
    if (loginDenied(login)) return refuse(`A role denies the login "${login}".`)
    if (allowedBy.size === 0) return refuse('No role allows this server.')
    const granting = principals.find(({ role, allowLogins }) => allowedBy.has(role) && allowLogins.includes(login))
    return granting ? { allowed: true, role: granting.role } : refuse(`No role allows the login "${login}" on it.`)
  }

  const canSee = (kind: LabelledKind, labels: Labels): boolean => {
    const { denied, allowedBy } = visibility(kind)(labels)
    return !denied && allowedBy.size > 0
  }

  const roleOptions = roles.map(({ spec }) => spec.options)
  const options = combineOptions(roleOptions)
  const access = (area: AclArea): Access => {
    const may = (verb: Verb): boolean => !absentAreas.has(area) && allows(areaKinds[area], verb)
    const { list, read, edit, create, remove, use } = flagVerbs
    return { list: may(list), read: may(read), edit: may(edit), create: may(create), remove: may(remove), use: may(use) }
  }
  return {
    allows,
    decide,
    canSee,
    canSeeNode: (labels) => canSee('node', labels),
    checkNodeLogin,
    logins: () => [...new Set(principals.flatMap(({ allowLogins }) => allowLogins))].filter((login) => !loginDenied(login)).toSorted(),
    nodeLogins(labels, hostLogins) {
      const { denied, allowedBy } = nodes(labels)
      if (denied) return []
      const logins = principals.flatMap(({ role, allowLogins }) => (allowedBy.has(role) ? allowLogins : []))
      const usable = logins.filter((login) => !loginDenied(login) && (hostLogins?.includes(login) ?? true))
      return [...new Set(usable)].toSorted()
    },
    acl: () => ({
      ...(Object.fromEntries(aclAreas.map((area) => [area, access(area)])) as Record<AclArea, Access>),
      clipboard: options.desktopClipboard,
      desktopSessionRecording: options.recordDesktop,
      directorySharing: options.desktopDirectorySharing,
    }),
    lacksLogins:
      held.some(({ spec }) => expandAll(spec.allow.logins, traits).length > 0) &&
      principals.every(({ allowLogins }) => allowLogins.every(loginDenied)),
    options,
    accessStrategy: accessStrategy(roleOptions),
  }
}

interface Visibility {
  denied: boolean
  /** Names of the roles whose labels match. */
  allowedBy: ReadonlySet<string>
}

/** Label decisions per kind. They are remembered per label object, which lists pass again for every page. */
function createVisibility(roles: readonly Role[], traits: Traits): (kind: LabelledKind) => (labels: Labels) => Visibility {
  const judges = new Map<LabelledKind, (labels: Labels) => Visibility>()
  return (kind) => {
    let judge = judges.get(kind)
    if (!judge) {
      judge = judgeLabels(roles, traits, labelFields[kind])
      judges.set(kind, judge)
    }
    return judge
  }
}

function judgeLabels(roles: readonly Role[], traits: Traits, field: (typeof labelFields)[LabelledKind]): (labels: Labels) => Visibility {
  const selectors = roles.map(({ metadata, spec }) => ({
    role: metadata.name,
    allow: expandSelector(spec.allow[field], traits),
    deny: expandSelector(spec.deny[field], traits),
  }))
  const known = new WeakMap<Labels, Visibility>()
  return (labels) => {
    const remembered = known.get(labels)
    if (remembered) return remembered
    const denied = selectors.some(({ deny }) => deny.some((selector) => matchesLabels(selector, labels)))
    const allowed = selectors.filter(({ allow }) => allow.some((selector) => matchesLabels(selector, labels)))
    const visibility = { denied, allowedBy: new Set(allowed.map(({ role }) => role)) }
    known.set(labels, visibility)
    return visibility
  }
}

/** A selector with its templates filled in: none when one of its keys has no value left, for then it cannot match. */
function expandSelector(selector: LabelSelector, traits: Traits): LabelSelector[] {
  const expanded = new Map<string, string[]>()
  for (const [key, values] of Object.entries(selector)) {
    const keys = expandAll([key], traits)
    if (keys.length === 0) return []
    for (const name of keys) expanded.set(name, [...(expanded.get(name) ?? []), ...expandAll(values, traits)])
  }
  return [Object.fromEntries(expanded)]
}
