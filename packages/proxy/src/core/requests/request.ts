/** Access requests as documents. What a request is judged by was written into it when it was made. */
import { requestableKinds, requestStates } from '@sallyport/wire/entities/access-request.ts'
import { z } from 'zod'
import type { Resource, ResourceKind, ResourceStore } from '../resources/resources.ts'

const name = z.string().min(1).max(255)
const time = z.iso.datetime()

const threshold = z.strictObject({ name: z.string(), filter: z.string(), approve: z.number(), deny: z.number() })
const review = z.strictObject({
  author: name,
  /** What is approved; empty for all that was asked for. */
  roles: z.array(name),
  state: z.enum(['APPROVED', 'DENIED']),
  reason: z.string(),
  created: time,
  /** Thresholds of the request toward which it counts, by their place in the list. */
  thresholds: z.array(z.number()),
})

const requestSpec = z.strictObject({
  user: name,
  roles: z.array(name),
  resources: z.array(z.strictObject({ kind: z.enum(requestableKinds), name, cluster: name, part: z.string().optional() })),
  state: z.enum(requestStates),
  reason: z.string(),
  resolve_reason: z.string(),
  suggested_reviewers: z.array(name),
  annotations: z.record(z.string(), z.array(z.string())),
  created: time,
  /** Until then it waits for its reviews. */
  pending_until: time,
  /** How long the access lasts, in milliseconds from its approval, and for how long one session may use it. */
  duration: z.number(),
  session_ttl: z.number(),
  /** When the access ends. Before the approval: when it would, given at once. */
  access_until: time,
  thresholds: z.array(threshold),
  /** Role → for each of the asker's roles that let them ask for it, the thresholds of which one must be reached. */
  threshold_lists: z.record(z.string(), z.array(z.array(z.number()))),
  reviews: z.array(review),
  /** Its expiry stands in the audit log. */
  expiry_told: z.boolean(),
})
export type RequestSpec = z.output<typeof requestSpec>
export type AccessRequest = Resource<RequestSpec>
export type RequestStore = ResourceStore<RequestSpec, z.input<typeof requestSpec>>
export type Threshold = RequestSpec['thresholds'][number]
export type Review = RequestSpec['reviews'][number]

export const missingRequest = (id: string): string => `access request "${id}" is not found`

export const requestKind: ResourceKind<RequestSpec, z.input<typeof requestSpec>> = {
  kind: 'access_request',
  versions: ['v3'],
  spec: () => requestSpec,
  existsText: (id) => `access request "${id}" already exists`,
  missingText: missingRequest,
}

/** When there is nothing left to decide or to use, in epoch milliseconds. */
export const endOf = ({ state, pending_until, access_until }: RequestSpec): number =>
  Date.parse(state === 'APPROVED' ? access_until : pending_until)
