/** Access requests: somebody asks for roles, or for resources that their own roles do not open, and others decide. */
import * as z from 'zod/mini'
import { listOf } from '../call.ts'
import { wireDate } from './wire-date.ts'

export const requestStates = ['PENDING', 'APPROVED', 'DENIED'] as const
/** Once it is not PENDING any more it stays what it is. */
export type RequestState = (typeof requestStates)[number]

/** Kinds of resources that can be asked for. */
export const requestableKinds = ['node', 'app', 'db', 'kube_cluster', 'user_group', 'windows_desktop'] as const
export type RequestableKind = (typeof requestableKinds)[number]

export const requestReasonMaxBytes = 4096
export const requestMaxItems = 100
/** For as long a request waits for its reviews when it does not say. */
export const requestPendingTtl = 7 * 24 * 3_600_000
/** Access is given for so long when no role says, and never for longer than the second. */
export const accessDuration = { default: 30 * 3_600_000, max: 14 * 24 * 3_600_000 } as const

const text = z._default(z.string(), '')

export const resourceIdWire = z.object({
  kind: z.string(),
  name: z.string(),
  clusterName: text,
  subResourceName: z.optional(z.string()),
})
export type ResourceIdWire = z.output<typeof resourceIdWire>

export const requestReviewWire = z.object({
  author: z.string(),
  /** What is approved when it is less than what was asked for. */
  roles: listOf(z.string()),
  state: z.string(),
  reason: text,
  created: text,
})

export const accessRequestWire = z.object({
  /** Empty in the answer to a dry run. */
  id: z.string(),
  state: z.string(),
  user: z.string(),
  roles: listOf(z.string()),
  requestReason: text,
  resolveReason: text,
  created: text,
  /** When the access ends, or would end if it were given now. */
  expires: text,
  maxDuration: text,
  sessionTTL: text,
  /** Until then it waits for reviews. */
  requestTTL: text,
  reviews: listOf(requestReviewWire),
  suggestedReviewers: listOf(z.string()),
  thresholdNames: listOf(z.string()),
  resources: listOf(
    z.object({
      id: resourceIdWire,
      details: z.optional(z.object({ hostname: z.optional(z.string()), friendlyName: z.optional(z.string()) })),
    }),
  ),
  /** Ours: whether the viewer may decide about it now, and which lock keeps anybody from using it. */
  mayReview: z.optional(z.boolean()),
  locked: z.optional(z.string()),
  /** Ours: how many reviews each threshold asks for, and has. */
  thresholds: z.optional(
    z.array(z.object({ name: z.string(), approve: z.number(), deny: z.number(), approvals: z.number(), denials: z.number() })),
  ),
})
export type AccessRequestWire = z.input<typeof accessRequestWire>
export const accessRequestsWire = listOf(accessRequestWire)

export interface RequestReview {
  author: string
  state: string
  reason: string
  created: Date | undefined
}

export interface AccessRequest {
  id: string
  /** As the proxy says it; `EXPIRED` when the time for it is over. */
  state: RequestState | 'EXPIRED' | (string & {})
  user: string
  roles: string[]
  reason: string
  resolveReason: string
  created: Date | undefined
  accessEnds: Date | undefined
  /** Latest time to which the access may last. */
  maxDuration: Date | undefined
  waitsUntil: Date | undefined
  reviews: RequestReview[]
  suggestedReviewers: string[]
  thresholdNames: string[]
  thresholds: { name: string; approve: number; deny: number; approvals: number; denials: number }[]
  resources: { kind: string; name: string; cluster: string; label: string }[]
  mayReview: boolean
  /** Why nobody can use it; empty when no lock says so. */
  locked: string
}

export function toAccessRequest(wire: z.output<typeof accessRequestWire>, now: number): AccessRequest {
  const accessEnds = wireDate(wire.expires)
  const waitsUntil = wireDate(wire.requestTTL)
  const end = wire.state === 'PENDING' ? waitsUntil : wire.state === 'APPROVED' ? accessEnds : undefined
  const isOver = end !== undefined && end.getTime() <= now
  return {
    id: wire.id,
    state: isOver ? 'EXPIRED' : wire.state,
    user: wire.user,
    roles: wire.roles,
    reason: wire.requestReason,
    resolveReason: wire.resolveReason,
    created: wireDate(wire.created),
    accessEnds,
    maxDuration: wireDate(wire.maxDuration),
    waitsUntil,
    reviews: wire.reviews.map(({ author, state, reason, created }) => ({ author, state, reason, created: wireDate(created) })),
    suggestedReviewers: wire.suggestedReviewers,
    thresholdNames: wire.thresholdNames,
    thresholds: wire.thresholds ?? [],
    resources: wire.resources.map(({ id, details }) => ({
      kind: id.kind,
      name: id.name,
      cluster: id.clusterName,
      label: details?.friendlyName || details?.hostname || id.name,
    })),
    mayReview: (wire.mayReview ?? false) && !isOver,
    locked: wire.locked ?? '',
  }
}
