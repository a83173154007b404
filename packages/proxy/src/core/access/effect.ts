/**
 * What saving a role would change: for everybody who holds it, the resources and rights that they would gain or lose.
 * The work is bounded, and done in slices that let other requests through.
 */
import { setImmediate } from 'node:timers/promises'
import { resourceKinds, verbs } from '@sallyport/wire/acl.ts'
import type { ResourceKind, Verb } from '@sallyport/wire/acl.ts'
import type { AccessEffect } from '@sallyport/wire/entities/access.ts'
import type { User } from '../users.ts'
import { createAccessChecker } from './checker.ts'
import type { AccessChecker } from './checker.ts'
import type { Labels } from './match.ts'
import type { Role } from './role.ts'

export interface EffectResource {
  kind: 'node'
  name: string
  title: string
  labels: Labels
  /** Logins that exist on it, where it tells. */
  logins?: readonly string[] | undefined
}

export interface EffectQuestion {
  /** The role as it would be. */
  role: Role
  /** All that are stored; the one of the same name is what `role` replaces. */
  roles: readonly Role[]
  users: readonly User[]
  resources: readonly EffectResource[]
}
export type Effect = Pick<AccessEffect, 'users' | 'holders' | 'reaches' | 'truncated'>
type UserEffect = Effect['users'][number]
type Right = UserEffect['gainsRights'][number]

const maxUsers = 200
const maxItems = 100
/** Pairs of a user and a resource that are looked at altogether, and between two pauses. */
const maxPairs = 200_000
const pairsAtOnce = 2000

export async function effectOf({ role, roles, users, resources }: EffectQuestion): Promise<Effect> {
  const { name } = role.metadata
  const before = new Map(roles.map((each) => [each.metadata.name, each]))
  const after = new Map(before).set(name, role)
  const holders = users.filter(({ spec }) => spec.roles.includes(name))
  const looked = holders.slice(0, maxUsers)
  const perUser = Math.max(1, Math.floor(maxPairs / Math.max(1, looked.length)))
  const changed: UserEffect[] = []
  for (const user of looked) {
    const one = await effectOnUser(user, { before, after }, resources.slice(0, perUser))
    if (one.gains.length + one.losses.length + one.gainsRights.length + one.losesRights.length > 0) changed.push(one)
  }
  return {
    users: changed,
    holders: holders.length,
    reaches: await reachesOf(role, resources),
    truncated: holders.length > looked.length || (holders.length > 0 && resources.length > perUser),
  }
}

type Roles = ReadonlyMap<string, Role>

async function effectOnUser(user: User, roles: { before: Roles; after: Roles }, resources: readonly EffectResource[]): Promise<UserEffect> {
  const { before, after } = { before: checkerOf(user, roles.before), after: checkerOf(user, roles.after) }
  const gains: UserEffect['gains'] = []
  const losses: UserEffect['losses'] = []
  let truncated = false
  const add = (list: UserEffect['gains'], { kind, name, title }: EffectResource, principals: string[]): void => {
    if (list.length < maxItems) list.push({ kind, name, title, principals })
    else truncated = true
  }
  for (const [index, resource] of resources.entries()) {
    if (index % pairsAtOnce === pairsAtOnce - 1) await setImmediate()
    const { labels, logins } = resource
    const had = { seen: before.canSeeNode(labels), logins: before.nodeLogins(labels, logins) }
    const has = { seen: after.canSeeNode(labels), logins: after.nodeLogins(labels, logins) }
    const gained = has.logins.filter((login) => !had.logins.includes(login))
    const lost = had.logins.filter((login) => !has.logins.includes(login))
    if (gained.length > 0 || (has.seen && !had.seen)) add(gains, resource, gained)
    if (lost.length > 0 || (had.seen && !has.seen)) add(losses, resource, lost)
  }
  return {
    name: user.metadata.name,
    gains,
    losses,
    gainsRights: rightsAdded(before, after),
    losesRights: rightsAdded(after, before),
    truncated,
  }
}

const checkerOf = ({ metadata, spec }: User, roles: Roles): AccessChecker =>
  createAccessChecker({ username: metadata.name, roles: spec.roles.flatMap((name) => roles.get(name) ?? []), traits: spec.traits })

/** Rights that the second checker has and the first has not. */
function rightsAdded(from: AccessChecker, to: AccessChecker): Right[] {
  const added = (kind: ResourceKind): Verb[] => verbs.filter((verb) => to.decide(kind, verb).allowed && !from.decide(kind, verb).allowed)
  return resourceKinds.flatMap((resource) => {
    const given = added(resource)
    return given.length === 0 ? [] : [{ resource, verbs: given }]
  })
}

/** What a person without traits would see who has this role and no other. */
async function reachesOf(role: Role, resources: readonly EffectResource[]): Promise<Record<string, number>> {
  const access = createAccessChecker({ username: '', roles: [role], traits: {} })
  const reaches: Record<string, number> = { node: 0 }
  for (const [index, { kind, labels }] of resources.entries()) {
    if (index % pairsAtOnce === pairsAtOnce - 1) await setImmediate()
    if (access.canSee(kind, labels)) reaches[kind] = (reaches[kind] ?? 0) + 1
  }
  return reaches
}
