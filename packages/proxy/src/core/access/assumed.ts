/** Access that a session has assumed by an approved request: roles, or the use of roles on certain resources alone. */
import { badParameter } from '../errors.ts'
import type { AccessChecker } from './checker.ts'
import type { Labels } from './match.ts'
import type { LabelledKind } from './role-labels.ts'

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
  /** Shows those of a kind in lists; the same object each time, for lists remember what a viewer sees. Undefined where there are none. */
  viewer(kind: LabelledKind): RequestViewer | undefined
  access: AccessChecker
}

/** Who may have assumed some. */
export interface Assuming {
  access: AccessChecker
  /** Wider access to single resources (see accessTo). */
  requested?: RequestedResources | undefined
}

interface RequestViewer {
  canSee(labels: Labels, id: string): boolean
  canSeeNode(labels: Labels, id: string): boolean
}

/** The roles that a person holds like their own while the requests are assumed. */
export const rolesOfRequests = (assumed: readonly AssumedRequest[]): string[] =>
  assumed.flatMap(({ roles, resources }) => (resources.length === 0 ? roles : []))

/** Throws bad parameter: of what was requested for resources, one is used at a time. */
export function requireOneForResources(assumed: readonly AssumedRequest[]): void {
  if (assumed.filter(({ resources }) => resources.length > 0).length > 1)
    throw badParameter('this session has assumed a request for resources already; drop that access first')
}

/** The last of each checker: sessions ask with every request. */
const known = new WeakMap<AccessChecker, { ids: string; requested: RequestedResources }>()

/** The wider access holds for the resources of all of them. */
export function requestedResources(assumed: readonly AssumedRequest[], access: AccessChecker): RequestedResources {
  // What a request is for never changes.
  const ids = assumed.map(({ id }) => id).join()
  const last = known.get(access)
  if (last?.ids === ids) return last.requested
  const requested = collect(assumed, access)
  known.set(access, { ids, requested })
  return requested
}

function collect(assumed: readonly AssumedRequest[], access: AccessChecker): RequestedResources {
  const names = new Map<string, Set<string>>()
  for (const { kind, name } of assumed.flatMap(({ resources }) => resources)) names.set(kind, (names.get(kind) ?? new Set()).add(name))
  const has = (kind: string, name: string): boolean => names.get(kind)?.has(name) === true
  const viewers = new Map<LabelledKind, RequestViewer>()
  function viewer(kind: LabelledKind): RequestViewer | undefined {
    if (!names.has(kind)) return undefined
    let found = viewers.get(kind)
    if (!found) {
      const canSee = (labels: Labels, id: string): boolean => has(kind, id) && access.canSee(kind, labels)
      viewers.set(kind, (found = { canSee, canSeeNode: canSee }))
    }
    return found
  }
  return { has, viewer, access }
}

/** What decides about one resource: the person's own access, or the wider one that was requested for it. */
export const accessTo = ({ access, requested }: Assuming, kind: string, name: string): AccessChecker =>
  requested?.has(kind, name) ? requested.access : access

/** The same person, with the access that they have to one resource. */
export const actorAt = <T extends Assuming>(actor: T, kind: string, name: string): T =>
  actor.requested?.has(kind, name) ? { ...actor, access: actor.requested.access } : actor

/** Shows what was requested of one kind in lists, beside what the person's own access shows. */
export function requestedOf({ requested }: Pick<Assuming, 'requested'>, kind: LabelledKind): RequestViewer[] {
  const viewer = requested?.viewer(kind)
  return viewer ? [viewer] : []
}
