/** What a person may do: the one place that decides, from roles, traits and labels alone. Deny always wins. */
import { aclAreas, areaKinds, flagVerbs } from '@sallyport/wire/acl.ts'
import type { Access, AclArea, ResourceKind, UserAclWire, Verb } from '@sallyport/wire/acl.ts'
import { participantModes } from '@sallyport/wire/entities/session-tracker.ts'
import type { ParticipantMode } from '@sallyport/wire/entities/session-tracker.ts'
import { accessStrategy, combineOptions } from './combine-options.ts'
import type { AccessStrategy, SessionOptions } from './combine-options.ts'
import { holdRoles } from './held-roles.ts'
import { implicitRole } from './implicit-role.ts'
import type { AccessSubject } from './held-roles.ts'
import { createKubernetesAccess } from './kubernetes-access.ts'
import type { KubernetesAccess } from './kubernetes-access.ts'
import { createLabelJudge } from './label-judge.ts'
import type { LabelJudge } from './label-judge.ts'
import { matchesAny } from './match.ts'
import type { Labels } from './match.ts'
import { labelFields } from './role-labels.ts'
import { createResourceAccess, lacksDeviceText } from './principals.ts'
import type { AccessDecision, ResourceAccess } from './principals.ts'
import type { LabelledKind, LabelTest } from './role-labels.ts'
import { runActions } from './rule-actions.ts'
import type { ActionLog } from './rule-actions.ts'
import { decideRule } from './rules.ts'
import type { RuleDecision } from './rules.ts'
import { rolesToSearchAs } from './roles-to-search-as.ts'
import { hostOf, isOfOldRoles, rolesJoinModes } from './session-access.ts'
import type { SessionHost, SessionKind } from './session-access.ts'
import type { Subject } from './where.ts'

export type LoginDecision = AccessDecision

/** What decides who joins a session. */
export interface JoinableSession {
  readonly kind: SessionKind
  readonly host: SessionHost
  readonly labels: Labels
  readonly login: string
}

export interface AccessChecker extends ResourceAccess {
  /**
   * Whether rules allow a verb on a kind. Without a subject, conditions about a thing count as met in allow and as not
   * met in deny for kinds whose items are then judged one by one (see rules.ts); for others they allow nothing and deny.
   */
  allows(kind: ResourceKind, verb: Verb, subject?: Subject): boolean
  /** The same with the role that decided. */
  decide(kind: ResourceKind, verb: Verb, subject?: Subject): RuleDecision
  /** What the user context tells the console: a hint, every call is checked again. */
  acl(): UserAclWire
  canSee(kind: LabelledKind, labels: Labels): boolean
  canSeeNode(labels: Labels): boolean
  /** Whether a leaf cluster may be entered. Roles that say nothing about clusters let into those without labels. */
  canEnterCluster(labels: Labels): boolean
  /** Logins allowed on a node, sorted; `hostLogins`, when known, are the only ones that exist there. */
  nodeLogins(labels: Labels, hostLogins?: readonly string[]): string[]
  checkNodeLogin(labels: Labels, login: string): LoginDecision
  /**
   * Whether a session on a node asks for a second factor: all roles demand it, or every role that grants this access does.
   * The cluster may demand it of everybody as well.
   */
  needsSessionMfa(labels: Labels, login: string): boolean
  /** What of a Kubernetes cluster with these labels their roles open. */
  kubernetes(labels: Labels): KubernetesAccess
  /** What this person's roles say about the sessions that they own. */
  sessionHost(kind: SessionKind): SessionHost
  /** How this person may join a session: the owner in every mode, others as their roles say. Empty: not at all. */
  joinModes(session: JoinableSession): readonly ParticipantMode[]
  /** Logins allowed on one node or another, sorted. */
  logins(): string[]
  /** True when roles name logins and none of them is left to use. */
  readonly lacksLogins: boolean
  /** Whether a role asks for a trusted device and there is none: they see what they could open, and open nothing. */
  readonly lacksDevice: boolean
  /** Names of the roles with which they may look for what they could ask access to. They give nothing else. */
  readonly searchAsRoles: readonly string[]
  readonly options: SessionOptions
  readonly accessStrategy: AccessStrategy
}

/** Areas whose feature this product does not have yet. */
const absentAreas: ReadonlySet<AclArea> = new Set(['billing'])

const saysSomething = ({ selector, expression }: LabelTest): boolean => selector !== undefined || expression !== undefined

/** `log` gets what the actions of a rule write when it grants. */
export function createAccessChecker(subject: AccessSubject, log?: ActionLog): AccessChecker {
  const { user, rules, principals, labels: labelsOfRoles } = holdRoles(subject)
  const { roles } = subject
  const roleOptions = roles.map(({ spec }) => spec.options)
  const options = combineOptions(roleOptions)
  const lacksDevice = options.deviceTrustMode === 'required' && subject.onTrustedDevice !== true
  const decide = (kind: ResourceKind, verb: Verb, about?: Subject): RuleDecision => decideRule(rules, { kind, verb, user, about })

  const judges = new Map<LabelledKind, LabelJudge>()
  const judgeOf = (kind: LabelledKind): LabelJudge => {
    let judge = judges.get(kind)
    if (!judge) {
      judge = createLabelJudge(labelsOfRoles(labelFields[kind]))
      judges.set(kind, judge)
    }
    return judge
  }
  const nodes = judgeOf('node')
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
    if (!granting) return refuse(`No role allows the login "${login}" on it.`)
    if (lacksDevice) return { allowed: false, reason: `access to node denied. ${lacksDeviceText}`, lacksDevice }
    return { allowed: true, role: granting.role }
  }

  const demandingRoles = new Set(
    roles.filter(({ spec }) => spec.options.require_session_mfa !== false).map(({ metadata }) => metadata.name),
  )
  const access = (area: AclArea): Access => {
    const may = (verb: Verb): boolean => !absentAreas.has(area) && decide(areaKinds[area], verb).allowed
    const { list, read, edit, create, remove, use } = flagVerbs
    return { list: may(list), read: may(read), edit: may(edit), create: may(create), remove: may(remove), use: may(use) }
  }
  /** Who may ask, or decide, by conditions of their roles needs no rule for it; a rule that denies has the last word. */
  const requestAccess = (): Access => {
    const byRules = access('accessRequests')
    const asks = roles.some(({ spec }) => spec.allow.request !== undefined)
    const reviews = roles.some(({ spec }) => spec.allow.review_requests !== undefined)
    const may = (flag: 'list' | 'read' | 'edit' | 'create', isGiven: boolean): boolean => {
      const decision = decide(areaKinds.accessRequests, flagVerbs[flag])
      return decision.allowed || (isGiven && decision.role === undefined)
    }
    return {
      ...byRules,
      list: may('list', asks || reviews),
      read: may('read', asks || reviews),
      edit: may('edit', reviews),
      create: may('create', asks),
    }
  }
  return {
    ...createResourceAccess({
      roles: [...roles, implicitRole],
      traits: subject.traits,
      judgeOf,
      demanding: demandingRoles,
      allDemand: demandingRoles.size === roles.length,
      lacksDevice,
    }),
    allows(kind, verb, about) {
      const decision = decide(kind, verb, about)
      if (log && decision.allowed && decision.by.rule.actions.length > 0) runActions(decision.by.rule.actions, { ...about, user }, log)
      return decision.allowed
    },
    decide,
    canSee: (kind, labels) => judgeOf(kind)(labels).visible,
    canSeeNode: (labels) => nodes(labels).visible,
    canEnterCluster(labels) {
      const isAsked = labelsOfRoles('cluster_labels').some(({ allow, deny }) => [allow, deny].some(saysSomething))
      return isAsked ? judgeOf('remote_cluster')(labels).visible : Object.keys(labels).length === 0
    },
    checkNodeLogin,
    needsSessionMfa(labels, login) {
      if (demandingRoles.size === 0 || demandingRoles.size === roles.length) return demandingRoles.size > 0
      const { denied, allowedBy } = nodes(labels)
      if (denied || loginDenied(login)) return false
      const granting = principals.filter(({ role, allowLogins }) => allowedBy.has(role) && allowLogins.includes(login))
      return granting.length > 0 && granting.every(({ role }) => demandingRoles.has(role))
    },
    kubernetes(labels) {
      const judged = judgeOf('kube_cluster')(labels)
      return createKubernetesAccess(subject, { ...judged, visible: judged.visible && !lacksDevice })
    },
    sessionHost: (kind) => hostOf(subject.username, roles, kind),
    joinModes({ kind, host, labels, login }) {
      if (lacksDevice) return []
      if (host.user === subject.username) return participantModes
      if (isOfOldRoles(host)) {
        const couldOpen = kind === 'ssh' ? checkNodeLogin(labels, login).allowed : judgeOf('kube_cluster')(labels).visible
        return couldOpen ? participantModes : []
      }
      return rolesJoinModes(roles, host, kind)
    },
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
      accessRequests: requestAccess(),
      clipboard: options.desktopClipboard,
      desktopSessionRecording: options.recordDesktop,
      directorySharing: options.desktopDirectorySharing,
    }),
    lacksLogins: principals.some(({ namesLogins }) => namesLogins) && principals.every(({ allowLogins }) => allowLogins.every(loginDenied)),
    lacksDevice,
    searchAsRoles: rolesToSearchAs(roles),
    options,
    accessStrategy: accessStrategy(roleOptions),
  }
}
