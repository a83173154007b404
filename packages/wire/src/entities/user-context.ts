import * as z from 'zod/mini'
import { toUserAcl, userAclWire } from '../acl.ts'
import type { UserAcl } from '../acl.ts'
import { listOf } from '../call.ts'
import { clusterWire, toCluster } from './cluster.ts'
import type { Cluster } from './cluster.ts'
import { wireDate } from './wire-date.ts'

const noCapabilities = { requestableRoles: [], suggestedReviewers: [] }

const assumedRequestWire = z.object({
  id: z.string(),
  roles: listOf(z.string()),
  resources: z._default(z.number(), 0),
  expires: z.string(),
  /** Why it cannot be used; empty when no lock says so. */
  locked: z._default(z.string(), ''),
})
/** Access that the viewer has for a while, by a request that was approved. */
export interface AssumedAccess {
  id: string
  roles: readonly string[]
  resources: number
  expires: Date | undefined
  locked: string
}

export const userContextWire = z.object({
  authType: z._default(z.string(), 'local'),
  userName: z._default(z.string(), ''),
  userAcl: z._default(userAclWire, userAclWire.parse({})),
  cluster: clusterWire,
  accessStrategy: z._default(z.object({ type: z._default(z.string(), 'optional'), prompt: z._default(z.string(), '') }), {
    type: 'optional',
    prompt: '',
  }),
  accessCapabilities: z._default(
    z.object({ requestableRoles: listOf(z.string()), suggestedReviewers: listOf(z.string()) }),
    noCapabilities,
  ),
  accessRequestId: z.optional(z.string()),
  /** Ours: every request that the session has assumed; `resources` counts those that its roles hold for, 0 being all. */
  assumedRequests: z.optional(z.array(assumedRequestWire)),
  /** 1 no password is set, 2 one is; absent or 0 where the proxy does not tell. */
  passwordState: z.optional(z.number()),
  /** Ours: what the viewer holds, to be read. */
  roles: z.optional(z.array(z.string())),
  traits: z.optional(z.record(z.string(), z.array(z.string()))),
})
export type UserContextWire = z.output<typeof userContextWire>

export interface UserContext {
  username: string
  /** `sso` for users of an identity provider; anything else is a local user. */
  authType: 'local' | 'sso'
  accessRequestId: string
  assumed: readonly AssumedAccess[]
  cluster: Cluster
  acl: UserAcl
  accessStrategy: { type: string; prompt: string }
  accessCapabilities: { requestableRoles: string[]; suggestedReviewers: string[] }
  /** False only where the proxy says that none is set. */
  hasPassword: boolean
  /** Undefined where the proxy does not tell. */
  roles: readonly string[] | undefined
  traits: Readonly<Record<string, readonly string[]>> | undefined
}

export const toUserContext = (wire: UserContextWire, formatDate: (date: Date) => string): UserContext => ({
  username: wire.userName,
  authType: wire.authType === 'sso' ? 'sso' : 'local',
  accessRequestId: wire.accessRequestId ?? '',
  assumed: (wire.assumedRequests ?? []).map((request) => ({ ...request, expires: wireDate(request.expires) })),
  cluster: toCluster(wire.cluster, formatDate),
  acl: toUserAcl(wire.userAcl),
  accessStrategy: wire.accessStrategy,
  accessCapabilities: wire.accessCapabilities,
  hasPassword: wire.passwordState !== 1,
  roles: wire.roles,
  traits: wire.traits,
})
