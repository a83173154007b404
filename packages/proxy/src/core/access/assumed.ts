/** Access that a session has assumed by an approved request: roles, or the use of roles on certain resources alone. */
import type { Actor } from '../caller.ts'
import type { AccessChecker } from './checker.ts'
import type { Labels } from './match.ts'

export interface AssumedRequest {
  id: string
  roles: readonly string[]
  /** What the roles hold for; empty when they are held like one's own. */
  resources: readonly { kind: string; name: string }[]
  /** Epoch milliseconds at which the access ends, whatever becomes of the request. */
  expires: number
}

/** Access to single resources, wider than the person's own. */
export interface RequestedResources {
  has(kind: string, name: string): boolean
  access: AccessChecker
}

/** The roles that a person holds like their own while the requests are assumed. */
export const rolesOfRequests = (assumed: readonly AssumedRequest[]): string[] =>
  assumed.flatMap(({ roles, resources }) => (resources.length === 0 ? roles : []))

/** Undefined when no resource was requested. */
export function requestedResources(assumed: readonly AssumedRequest[], access: AccessChecker): RequestedResources {
  const keys = new Set(assumed.flatMap(({ resources }) => resources.map(({ kind, name }) => `${kind}/${name}`)))
  return { has: (kind, name) => keys.has(`${kind}/${name}`), access }
}

/** What decides about one resource: the person's own access, or the wider one that was requested for it. */
export const accessTo = ({ access, requested }: Pick<Actor, 'access' | 'requested'>, kind: string, name: string): AccessChecker =>
  requested?.has(kind, name) ? requested.access : access

/** The same person, with the access that they have to one resource. */
export const actorAt = <T extends Pick<Actor, 'access' | 'requested'>>(actor: T, kind: string, name: string): T =>
  actor.requested?.has(kind, name) ? { ...actor, access: actor.requested.access } : actor

/** Shows requested nodes in lists. */
export function requestedNodes({ requested }: Pick<Actor, 'requested'>): { canSeeNode(labels: Labels, id: string): boolean }[] {
  return requested ? [{ canSeeNode: (labels, id) => requested.has('node', id) && requested.access.canSeeNode(labels) }] : []
}
