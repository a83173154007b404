/**
 * Access requests: made, reviewed, used and forgotten. Changes run one after the other on all proxies of the cluster, so
 * that of two reviews at the same time each sees what the other has left.
 */
import { randomUUID } from 'node:crypto'
import type { Store } from '../../store/db.ts'
import type { AssumedRequest } from '../access/assumed.ts'
import type { RoleStore } from '../access/role.ts'
import type { Audit } from '../audit/audit.ts'
import { accessDenied, AppError, badParameter, limitExceeded, notFound } from '../errors.ts'
import { takeTurns } from '../identity/take-turns.ts'
import type { Log } from '../log.ts'
import type { ChangeFeed } from '../resources/change-feed.ts'
import { createResourceStore, readResources } from '../resources/resources.ts'
import { userKind } from '../users.ts'
import type { User, UserStore } from '../users.ts'
import { composeRequest } from './compose.ts'
import type { ComposeDeps, Wish } from './compose.ts'
import { mayReview, requestableRoles, suggestedReviewers, thresholdsOf } from './conditions.ts'
import type { Holder } from './conditions.ts'
import { endOf, missingRequest, requestKind } from './request.ts'
import type { AccessRequest, RequestSpec } from './request.ts'
import { decided, rolesLeft, withReview } from './verdict.ts'

/** What is over is shown for so long. */
const keepOver = 30 * 24 * 3_600_000
const sweepEvery = 60_000
/** That somebody may have waiting. */
const maxPending = 100

export interface Verdict {
  state: 'APPROVED' | 'DENIED'
  reason: string
  /** Empty: all that was asked for. */
  roles: readonly string[]
}

export interface AccessRequests extends Disposable {
  /** Throws bad parameter, access denied, not found, limit exceeded. */
  create(user: string, wish: Wish): Promise<AccessRequest>
  /** What `create` would make; nothing is stored. */
  preview(user: string, wish: Wish): Promise<RequestSpec>
  /** The newest first. */
  all(): Promise<AccessRequest[]>
  /** Throws not found. */
  require(id: string): Promise<AccessRequest>
  /** Whether somebody may decide about requests. */
  reviewer(user: string): Promise<(request: RequestSpec) => boolean>
  capabilities(user: string): Promise<{ requestableRoles: string[]; suggestedReviewers: string[] }>
  /** Throws not found, access denied, bad parameter. */
  review(id: string, user: string, verdict: Verdict): Promise<AccessRequest>
  /** Without reviews, for whoever runs the proxy. Throws not found, access denied. */
  decide(id: string, by: string, verdict: Omit<Verdict, 'roles'>): Promise<AccessRequest>
  /** Sessions that have assumed it keep what they have. Throws not found. */
  remove(id: string, by: string): Promise<void>
  /** What a session of the asker may assume. Throws not found, access denied, bad parameter. */
  assumable(id: string, user: string): Promise<AssumedRequest>
  /** Tells of what nobody decided in time, and forgets what is long over. It runs by itself. */
  sweep(): Promise<void>
}

export interface AccessRequestDeps extends ComposeDeps {
  store: Pick<Store, 'db' | 'alone'>
  feed: ChangeFeed
  users: Pick<UserStore, 'get'>
  roles: Pick<RoleStore, 'get' | 'list'>
  audit: Pick<Audit, 'emit'>
  log: Pick<Log, 'warn'>
}

export function createAccessRequests(deps: AccessRequestDeps): AccessRequests {
  const { store, feed, users, roles, audit, clock, log } = deps
  const { db } = store
  const requests = createResourceStore(requestKind, { db, feed, clock })
  const inTurn = takeTurns({
    atOnce: 1,
    waiting: 1000,
    refusal: () => limitExceeded('too many requests are changed at the same time; try again'),
  })
  const change = <T>(work: () => Promise<T>): Promise<T> => inTurn(() => store.alone(work))

  async function holderOf(name: string): Promise<Holder> {
    const user = await users.get(name)
    if (!user) throw accessDenied(`user "${name}" is not found`)
    const held = await Promise.all(user.spec.roles.map((role) => roles.get(role)))
    return { name, roles: held.filter((role) => role !== undefined), traits: user.spec.traits }
  }
  /** Whoever gets the name of somebody who was removed does not inherit what was given to them. */
  const isOf = ({ spec }: AccessRequest, user: User | undefined): boolean =>
    user !== undefined && (user.spec.created_by.time === undefined || Date.parse(user.spec.created_by.time) <= Date.parse(spec.created))
  const isKnown = async (request: AccessRequest): Promise<boolean> => isOf(request, await users.get(request.spec.user))

  /** From the database: within a change, what another proxy has just done counts. */
  async function read(id: string): Promise<AccessRequest> {
    const request = (await readResources(requestKind, db, [id])).get(id)
    if (!request || !(await isKnown(request))) throw notFound(missingRequest(id))
    return request
  }
  const isWaiting = ({ spec }: AccessRequest): boolean => spec.state === 'PENDING' && endOf(spec) > clock.now()
  const save = ({ metadata, version }: AccessRequest, spec: RequestSpec): Promise<AccessRequest> =>
    requests.update({ version, metadata, spec })
  const tellState = (id: string, { state, user, roles: asked, resolve_reason }: RequestSpec, by: string): Promise<unknown> =>
    audit.emit('T5001I', { id, state, user, updated_by: by, roles: asked, ...(resolve_reason !== '' && { reason: resolve_reason }) })

  async function sweep(): Promise<void> {
    const now = clock.now()
    const isDue = (request: AccessRequest): boolean => request.spec.state === 'PENDING' && !isWaiting(request) && !request.spec.expiry_told
    for (const request of await requests.list()) {
      const { name } = request.metadata
      if (!(await isKnown(request)) || endOf(request.spec) < now - keepOver) await requests.delete(name).catch(ignoreGone)
      else if (isDue(request))
        await change(async () => {
          const current = await read(name)
          if (!isDue(current)) return
          await audit.emit('T5005I', { id: name, user: current.spec.user, roles: current.spec.roles })
          await save(current, { ...current.spec, expiry_told: true })
        })
    }
  }
  const sweeping = (): void =>
    void sweep().catch((error: unknown) =>
      log.warn({ err: error }, 'access requests that are over could not be put away; the next round tries again'),
    )
  const timer = setInterval(sweeping, sweepEvery).unref()
  const removals = feed.subscribe(({ kind, operation }) => {
    if (kind === userKind.kind && operation === 'delete') sweeping()
  })

  return {
    preview: async (user, wish) => composeRequest(deps, await holderOf(user), wish, true),
    async create(user, wish) {
      const spec = await composeRequest(deps, await holderOf(user), wish, false)
      return change(async () => {
        const own = (await requests.list()).filter((request) => request.spec.user === user && isWaiting(request))
        if (own.length >= maxPending) throw limitExceeded(`user "${user}" has ${maxPending} requests waiting: wait for their reviews`)
        const id = randomUUID()
        await audit.emit('T5000I', { id, ...createdFields(spec) })
        return requests.create({ metadata: { name: id }, spec })
      })
    },
    async all() {
      const found = await requests.list()
      const names = [...new Set(found.map(({ spec }) => spec.user))]
      const owners = new Map(await Promise.all(names.map(async (name) => [name, await users.get(name)] as const)))
      return found
        .filter((request) => isOf(request, owners.get(request.spec.user)))
        .toSorted((a, b) => (a.spec.created < b.spec.created ? 1 : -1))
    },
    require: read,
    async reviewer(user) {
      return mayReview(await holderOf(user))
    },
    async capabilities(user) {
      const holder = await holderOf(user)
      const asks = holder.roles.some(({ spec }) => spec.allow.request !== undefined)
      const all = asks ? (await roles.list()).map(({ metadata }) => metadata.name) : []
      return { requestableRoles: requestableRoles(holder, all), suggestedReviewers: suggestedReviewers(holder) }
    },
    async review(id, user, { state, reason, roles: named }) {
      const holder = await holderOf(user)
      return change(async () => {
        const request = await read(id)
        const { spec } = request
        if (spec.user === user) throw accessDenied('nobody reviews a request of their own; ask somebody else')
        if (!mayReview(holder)(spec)) throw accessDenied(`user "${user}" can not review access request "${id}"`)
        if (spec.reviews.some(({ author }) => author === user)) throw accessDenied(`user "${user}" has reviewed this request already`)
        if (endOf(spec) <= clock.now()) throw badParameter(overText(id))
        const strange = named.find((role) => !spec.roles.includes(role))
        if (strange !== undefined) throw badParameter(`role "${strange}" is not among what was asked for`)
        const review = {
          author: user,
          roles: state === 'APPROVED' ? [...new Set(named)] : [],
          state,
          reason,
          created: new Date(clock.now()).toISOString(),
          thresholds: thresholdsOf(holder, spec, { reason }),
        }
        const next = withReview(spec, review, clock.now())
        if (spec.state === 'PENDING' && rolesLeft(next).length === 0)
          throw badParameter('the approvals have no role in common: nothing would be left')
        await audit.emit('T5002I', { id, reviewer: user, state, proposed_state: state, user: spec.user, ...(reason !== '' && { reason }) })
        if (next.state !== spec.state) await tellState(id, next, user)
        return save(request, next)
      })
    },
    decide: (id, by, { state, reason }) =>
      change(async () => {
        const request = await read(id)
        const { spec } = request
        if (spec.state !== 'PENDING') throw accessDenied(`access request "${id}" is ${spec.state} already`)
        if (!isWaiting(request)) throw badParameter(overText(id))
        const next = decided(spec, state, reason, clock.now())
        await tellState(id, next, by)
        return save(request, next)
      }),
    remove: (id, by) =>
      change(async () => {
        const { spec } = await read(id)
        await audit.emit('T5003I', { id, user: by, roles: spec.roles })
        await requests.delete(id)
      }),
    async assumable(id, user) {
      const { spec } = await read(id)
      if (spec.user !== user) throw notFound(missingRequest(id))
      if (spec.state === 'DENIED') throw accessDenied(`access request "${id}" has been denied`)
      if (endOf(spec) <= clock.now()) throw badParameter(overText(id))
      if (spec.state === 'PENDING') throw accessDenied(`access request "${id}" is awaiting approval`)
      const found = await Promise.all(spec.roles.map((role) => roles.get(role)))
      const left = spec.roles.filter((_, index) => found[index] !== undefined)
      if (left.length === 0) throw badParameter(`the roles of access request "${id}" do not exist any more; ask again for what you need`)
      return {
        id,
        roles: left,
        resources: spec.resources.map(({ kind, name }) => ({ kind, name })),
        expires: Math.min(Date.parse(spec.access_until), clock.now() + spec.session_ttl),
      }
    },
    sweep,
    [Symbol.dispose]() {
      clearInterval(timer)
      removals[Symbol.dispose]()
    },
  }
}

const overText = (id: string): string => `access request "${id}" has expired`

const createdFields = ({ user, state, roles, reason, resources, annotations, duration, created }: RequestSpec) => ({
  user,
  state,
  roles,
  ...(reason !== '' && { reason }),
  ...(Object.keys(annotations).length > 0 && { annotations }),
  ...(resources.length > 0 && {
    resource_ids: resources.map(({ cluster, kind, name, part }) => ({
      cluster,
      kind,
      name,
      ...(part !== undefined && { sub_resource: part }),
    })),
  }),
  max_duration: new Date(Date.parse(created) + duration).toISOString(),
})

/** Another proxy was first. */
function ignoreGone(error: unknown): void {
  if (!(error instanceof AppError && error.code === 'not_found')) throw error
}
