/** From what somebody asks for to a request that waits for its reviews. */
import { requestPendingTtl, requestReasonMaxBytes } from '@sallyport/wire/entities/access-request.ts'
import type { RequestableKind } from '@sallyport/wire/entities/access-request.ts'
import type { AccessService } from '../access/access.ts'
import type { RoleStore } from '../access/role.ts'
import type { Clock } from '../clock.ts'
import { badParameter } from '../errors.ts'
import { requestableRoles, suggestedReviewers, termsOf } from './conditions.ts'
import type { Holder } from './conditions.ts'
import type { RequestSpec } from './request.ts'
import { applicableRoles } from './requested-resources.ts'
import type { ResourceFinders } from './requested-resources.ts'

export interface Wish {
  reason: string
  roles: readonly string[]
  resources: readonly { kind: RequestableKind; name: string; cluster: string; part?: string | undefined }[]
  suggestedReviewers: readonly string[]
  /** RFC 3339; empty for as late as possible. */
  maxDuration: string
  pendingUntil: string
}

export interface ComposeDeps {
  roles: Pick<RoleStore, 'list'>
  access: AccessService
  finders: ResourceFinders
  clock: Clock
  clusterName: string
}

/** The clock of a client may be a little ahead of ours. */
const slack = 60_000

/** Throws what keeps somebody from asking for it: bad parameter, access denied, not found. A dry run needs no reason yet. */
export async function composeRequest(deps: ComposeDeps, holder: Holder, wish: Wish, isDryRun: boolean): Promise<RequestSpec> {
  const { access, clock } = deps
  const now = clock.now()
  const as = wish.resources.length > 0 ? 'resource' : 'role'
  const roles = as === 'resource' ? await rolesForResources(deps, holder, wish) : await wantedRoles(deps, holder, wish)
  const terms = termsOf(holder, roles, as)
  const own = holder.roles.map(({ metadata }) => metadata.name)
  const asNow = await access.checker({ username: holder.name, roles: own, traits: holder.traits })
  const asThen = await access.checker({ username: holder.name, roles: [...own, ...roles], traits: holder.traits })
  if (Buffer.byteLength(wish.reason) > requestReasonMaxBytes)
    throw badParameter(`the reason is too long: ${requestReasonMaxBytes} bytes at most`)
  if (!isDryRun && asNow.accessStrategy.type === 'reason' && wish.reason.trim() === '')
    throw badParameter(`a reason is needed${asNow.accessStrategy.prompt === '' ? '' : `: ${asNow.accessStrategy.prompt}`}`)
  const duration = timeUntil('maxDuration', wish.maxDuration, now, terms.duration)
  const ttl = asThen.options.maxSessionTtl
  return {
    ...terms,
    user: holder.name,
    roles,
    resources: wish.resources.map(({ kind, name, cluster, part }) => ({
      kind,
      name,
      cluster,
      ...(part !== undefined && part !== '' && { part }),
    })),
    state: 'PENDING',
    reason: wish.reason,
    resolve_reason: '',
    suggested_reviewers: [...new Set(wish.suggestedReviewers.length > 0 ? wish.suggestedReviewers : suggestedReviewers(holder))],
    created: iso(now),
    pending_until: iso(now + timeUntil('requestTTL', wish.pendingUntil, now, requestPendingTtl)),
    duration,
    session_ttl: ttl > 0 ? Math.min(ttl, duration) : duration,
    access_until: iso(now + duration),
    reviews: [],
    expiry_told: false,
  }
}

const iso = (time: number): string => new Date(time).toISOString()

function timeUntil(field: string, text: string, now: number, longest: number): number {
  if (text === '') return longest
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw badParameter(`${field}: "${text}" is no time; write one such as ${iso(now)}`)
  if (time <= now) throw badParameter(`${field}: ${text} is over already`)
  if (time > now + longest + slack) throw badParameter(`${field}: at most until ${iso(now + longest)}`)
  return Math.min(time - now, longest)
}

async function wantedRoles({ roles: store }: ComposeDeps, holder: Holder, { roles }: Wish): Promise<string[]> {
  if (roles.length === 0) throw badParameter('name at least one role or one resource')
  const all = (await store.list()).map(({ metadata }) => metadata.name)
  const requestable = requestableRoles(holder, all)
  if (roles.length === 1 && roles[0] === '*') {
    if (requestable.length === 0) throw badParameter(`user "${holder.name}" can not request any role`)
    return requestable
  }
  for (const role of roles) {
    if (holder.roles.some(({ metadata }) => metadata.name === role)) throw badParameter(`user "${holder.name}" has role "${role}" already`)
    if (!requestable.includes(role)) throw badParameter(`user "${holder.name}" can not request role "${role}"`)
  }
  return [...new Set(roles)]
}

/** Those that are named, as far as they open something; without names all that do. */
async function rolesForResources(deps: ComposeDeps, holder: Holder, { roles, resources }: Wish): Promise<string[]> {
  const foreign = resources.find(({ cluster }) => cluster !== deps.clusterName)
  if (foreign)
    throw badParameter(
      `resources of cluster "${foreign.cluster}" can not be requested from here: ask for a role, which counts there as its role_map says`,
    )
  const applicable = await applicableRoles(deps, holder, resources)
  const unfit = roles.find((role) => !applicable.includes(role))
  if (unfit !== undefined) throw badParameter(`user "${holder.name}" can not request role "${unfit}" for these resources`)
  return roles.length === 0 ? applicable : [...new Set(roles)]
}
