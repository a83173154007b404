/** Access requests: asking, deciding, looking. Assuming one is a renewal of the session (areas/session). */
import * as calls from '@sallyport/wire/calls/access-requests.ts'
import { ok } from '@sallyport/wire/call.ts'
import type { AccessRequestWire, RequestableKind } from '@sallyport/wire/entities/access-request.ts'
import type { Caller } from '../../core/caller.ts'
import { badParameter, missingPermission, notFound } from '../../core/errors.ts'
import type { LockView } from '../../core/locks/lock-view.ts'
import type { AccessRequests } from '../../core/requests/access-requests.ts'
import { endOf, missingRequest } from '../../core/requests/request.ts'
import type { AccessRequest, RequestSpec } from '../../core/requests/request.ts'
import type { ResourceFinders } from '../../core/requests/requested-resources.ts'
import { reviewsToward } from '../../core/requests/verdict.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'
import type { Clock } from '../../core/clock.ts'

export interface RequestsDeps {
  requests: AccessRequests
  finders: ResourceFinders
  locks: Pick<LockView, 'whyLocked'>
  clock: Clock
}

/** What people call a resource. */
type LabelOf = (kind: RequestableKind, name: string) => string | undefined

export function requestsRoutes({ requests, finders, locks, clock }: RequestsDeps): Route[] {
  const labelOf: LabelOf = (kind, name) => finders.get(kind)?.(name)?.label
  /** What the viewer sees, with what they may do about it. */
  async function viewOf({ username, access }: Caller) {
    const isReviewer = await requests.reviewer(username)
    const seesAll = access.allows('access_request', 'list') && access.allows('access_request', 'read')
    return {
      sees: ({ spec }: AccessRequest): boolean => seesAll || spec.user === username || isReviewer(spec),
      show: (spec: RequestSpec, id: string): AccessRequestWire => ({
        ...toWire(spec, id, labelOf),
        mayReview:
          spec.state === 'PENDING' &&
          endOf(spec) > clock.now() &&
          isReviewer(spec) &&
          !spec.reviews.some(({ author }) => author === username),
        ...lockOf(spec, id),
      }),
    }
  }
  const lockOf = ({ roles }: RequestSpec, id: string): { locked?: string } => {
    const locked = locks.whyLocked({ roles, accessRequests: [id] })
    return locked === undefined ? {} : { locked }
  }
  const shown = async (caller: Caller, { spec, metadata }: AccessRequest) => (await viewOf(caller)).show(spec, metadata.name)
  return [
    on(calls.list, async ({ caller }) => {
      const view = await viewOf(caller)
      return (await requests.all()).filter(view.sees).map(({ spec, metadata }) => view.show(spec, metadata.name))
    }),
    on(calls.read, async ({ params: { requestId }, caller }) => {
      const view = await viewOf(caller)
      const request = await requests.require(requestId)
      if (!view.sees(request)) throw notFound(missingRequest(requestId))
      return view.show(request.spec, requestId)
    }),
    on(calls.create, async ({ body, caller }) => {
      const { username } = caller
      // The conditions of their roles let people ask for themselves; a rule can still forbid it.
      const decision = caller.access.decide('access_request', 'create')
      if (!decision.allowed && decision.role !== undefined) throw missingPermission('create', 'access_request')
      const wish = {
        reason: body.reason,
        roles: body.roles,
        resources: body.resourceIds.map(({ kind, name, clusterName, subResourceName: part }) => ({
          kind,
          name,
          cluster: clusterName,
          part,
        })),
        suggestedReviewers: body.suggestedReviewers,
        maxDuration: body.maxDuration,
        pendingUntil: body.requestTTL,
      }
      if (!body.dryRun) return shown(caller, await requests.create(username, wish))
      return toWire(await requests.preview(username, wish), '', labelOf)
    }),
    on(calls.review, async ({ params: { requestId }, body: { state, reason, roles }, caller }) => {
      const request = await requests.require(requestId)
      const view = await viewOf(caller)
      // Hidden and absent are the same.
      if (!view.sees(request)) throw notFound(missingRequest(requestId))
      if (state === 'PENDING') throw badParameter('state: a review says APPROVED or DENIED')
      return shown(caller, await requests.review(requestId, caller.username, { state, reason, roles }))
    }),
    on(calls.remove, async ({ params: { requestId }, caller }) => {
      await requests.remove(requestId, caller.username)
      return ok
    }),
  ]
}

function toWire(spec: RequestSpec, id: string, labelOf: LabelOf): AccessRequestWire {
  const created = Date.parse(spec.created)
  const from = Date.parse(spec.access_until) - spec.duration
  return {
    id,
    state: spec.state,
    user: spec.user,
    roles: spec.roles,
    requestReason: spec.reason,
    resolveReason: spec.resolve_reason,
    created: new Date(created).toISOString(),
    expires: spec.access_until,
    maxDuration: spec.access_until,
    sessionTTL: new Date(from + spec.session_ttl).toISOString(),
    requestTTL: spec.pending_until,
    reviews: spec.reviews.map(({ author, roles, state, reason, created: at }) => ({ author, roles, state, reason, created: at })),
    suggestedReviewers: spec.suggested_reviewers,
    thresholdNames: [...new Set(spec.thresholds.map(({ name }) => name))],
    resources: spec.resources.map(({ kind, name, cluster, part }) => {
      const hostname = labelOf(kind, name)
      return {
        id: { kind, name, clusterName: cluster, ...(part !== undefined && { subResourceName: part }) },
        ...(hostname !== undefined && { details: kind === 'node' ? { hostname } : { friendlyName: hostname } }),
      }
    }),
    thresholds: spec.thresholds.map(({ name, approve, deny }, index) => ({ name, approve, deny, ...reviewsToward(spec, index) })),
  }
}
