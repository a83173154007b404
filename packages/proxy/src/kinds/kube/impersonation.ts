/** As whom somebody comes to a cluster: the users and groups of their roles, narrowed by what kubectl asks for with --as. */
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import type { AccessChecker } from '../../core/access/checker.ts'
import { matchesAny } from '../../core/access/match.ts'
import type { Labels } from '../../core/access/match.ts'
import { accessDenied } from '../../core/errors.ts'

export interface Identity {
  readonly user: string
  readonly groups: readonly string[]
}

export interface WantedIdentity {
  readonly user?: string | undefined
  readonly groups?: readonly string[] | undefined
}

const isPattern = (value: string): boolean => value.includes('*') || (value.startsWith('^') && value.endsWith('$'))

/** What may be chosen from; patterns of roles are left out. */
export const namesOf = (access: AccessChecker, labels: Labels, field: 'kubernetes_users' | 'kubernetes_groups'): string[] =>
  access.principals('kube_cluster', labels, field).filter((name) => !isPattern(name))

/** Throws access denied with what to do. `person`: who they are here, and there when no role names a user. */
export function identityOf(access: AccessChecker, labels: Labels, person: string, wanted: WantedIdentity = {}): Identity {
  const decision = access.checkResource('kube_cluster', labels)
  if (!decision.allowed) throw accessDenied(decision.reason)
  const allowedUsers = access.principals('kube_cluster', labels, 'kubernetes_users')
  const allowedGroups = access.principals('kube_cluster', labels, 'kubernetes_groups')
  if (allowedUsers.length === 0 && allowedGroups.length === 0)
    throw accessDenied('your roles name no kubernetes_users and no kubernetes_groups for this cluster; ask an administrator for one')
  return {
    user: wanted.user === undefined ? onlyUser(allowedUsers, person) : allowedUser(allowedUsers, person, wanted.user),
    groups: wanted.groups?.length ? allowedOf(allowedGroups, wanted.groups) : allowedGroups.filter((name) => !isPattern(name)),
  }
}

function onlyUser(allowed: readonly string[], person: string): string {
  const names = allowed.filter((name) => !isPattern(name))
  if (names.length > 1) throw accessDenied(`your roles allow several Kubernetes users here: choose one with --as ${names.join(', --as ')}`)
  return names[0] ?? person
}

function allowedUser(allowed: readonly string[], person: string, user: string): string {
  if (allowed.length === 0 ? user === person : matchesAny(allowed, user)) return user
  throw accessDenied(`your roles do not allow the Kubernetes user ${JSON.stringify(user)}; they allow ${allowed.join(', ') || person}`)
}

function allowedOf(allowed: readonly string[], groups: readonly string[]): readonly string[] {
  const refused = groups.find((group) => !matchesAny(allowed, group))
  if (refused === undefined) return groups
  throw accessDenied(`your roles do not allow the Kubernetes group ${JSON.stringify(refused)}; they allow ${allowed.join(', ') || 'none'}`)
}

/** What a client asks to come as. Throws access denied for what roles cannot grant. */
export function readWanted({ headersDistinct }: Pick<IncomingMessage, 'headersDistinct'>): WantedIdentity {
  const known = new Set(['impersonate-user', 'impersonate-group'])
  if (Object.keys(headersDistinct).some((name) => name.startsWith('impersonate-') && !known.has(name)))
    throw accessDenied('only users and groups can be chosen: use --as and --as-group alone')
  return { user: headersDistinct['impersonate-user']?.[0], groups: headersDistinct['impersonate-group'] }
}

export const impersonate = ({ user, groups }: Identity): OutgoingHttpHeaders => ({
  'impersonate-user': user,
  ...(groups.length > 0 && { 'impersonate-group': [...groups] }),
})
