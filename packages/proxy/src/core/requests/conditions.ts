/** What the roles of somebody say about requests: what they may ask for, whom they ask, and what they may decide. */
import { accessDuration } from '@sallyport/wire/entities/access-request.ts'
import { smallest } from '../access/combine-options.ts'
import { parseDuration } from '../access/duration.ts'
import { matchesAny } from '../access/match.ts'
import type { Role } from '../access/role.ts'
import { rolesToSearchAs } from '../access/roles-to-search-as.ts'
import { expandAll } from '../access/templates.ts'
import type { Traits } from '../access/templates.ts'
import { compileCondition } from '../access/where.ts'
import { mapClaims } from '../connectors/mapping.ts'
import type { RequestSpec, Review, Threshold } from './request.ts'

/** Somebody with the documents of the roles that are their own: what they have assumed does not let them ask or decide. */
export interface Holder {
  readonly name: string
  readonly roles: readonly Role[]
  readonly traits: Traits
}

type RequestConditions = NonNullable<Role['spec']['allow']['request']>
type Named = Pick<RequestConditions, 'roles' | 'claims_to_roles'>

const noThresholds: Threshold = { name: 'default', filter: '', approve: 1, deny: 1 }

/** Patterns of role names, from templates and from traits. */
const patternsOf = ({ roles, claims_to_roles }: Named, traits: Traits): string[] => [
  ...expandAll(roles, traits),
  ...mapClaims(claims_to_roles, traits).roles,
]
const names = (conditions: Named | undefined, role: string, traits: Traits): boolean =>
  conditions !== undefined && matchesAny(patternsOf(conditions, traits), role)

/** `role`: to be held like an own one. `resource`: to be used on certain resources alone. */
export type AskedAs = 'role' | 'resource'

const isDenied = ({ roles, traits }: Holder, role: string, as: AskedAs): boolean =>
  as === 'role' ? roles.some(({ spec }) => names(spec.deny.request, role, traits)) : !rolesToSearchAs(roles).includes(role)

/** What each role of the asker says that lets them ask for a role. */
export function grantsOf(holder: Holder, role: string, as: AskedAs): RequestConditions[] {
  if (isDenied(holder, role, as)) return []
  return holder.roles.flatMap(({ spec }) => {
    const { request } = spec.allow
    if (!request) return []
    const isGiven = as === 'role' ? names(request, role, holder.traits) : request.search_as_roles.includes(role)
    return isGiven ? [request] : []
  })
}

/** Those of `all` that somebody may ask for and does not hold. */
export function requestableRoles(holder: Holder, all: readonly string[]): string[] {
  const held = new Set(holder.roles.map(({ metadata }) => metadata.name))
  return all.filter((role) => !held.has(role) && grantsOf(holder, role, 'role').length > 0)
}

export function suggestedReviewers({ roles }: Holder): string[] {
  const denied = new Set(roles.flatMap(({ spec }) => spec.deny.request?.suggested_reviewers ?? []))
  return [...new Set(roles.flatMap(({ spec }) => spec.allow.request?.suggested_reviewers ?? []))].filter((name) => !denied.has(name))
}

/** What a request is judged by, from everything that lets the asker ask for its roles. */
export function termsOf(
  holder: Holder,
  roles: readonly string[],
  as: AskedAs,
): Pick<RequestSpec, 'thresholds' | 'threshold_lists' | 'annotations' | 'duration'> {
  const thresholds: Threshold[] = []
  const lists = new Map<RequestConditions, number[]>()
  /** Of conditions that let ask for several roles, the thresholds are counted once. */
  const listOf = (conditions: RequestConditions): number[] => {
    let list = lists.get(conditions)
    if (!list) {
      const own = conditions.thresholds.length > 0 ? conditions.thresholds : [noThresholds]
      list = own.map((threshold) => thresholds.push({ ...threshold, filter: threshold.filter.trim() }) - 1)
      lists.set(conditions, list)
    }
    return list
  }
  const threshold_lists = Object.fromEntries(roles.map((role) => [role, grantsOf(holder, role, as).map(listOf)]))
  const granting = [...lists.keys()]
  const longest = smallest(granting.map(({ max_duration }) => parseDuration(max_duration) ?? 0)) || accessDuration.default
  const annotations = new Map<string, string[]>()
  for (const { annotations: given } of granting)
    for (const [key, values] of Object.entries(given))
      annotations.set(key, [...new Set([...(annotations.get(key) ?? []), ...expandAll(values, holder.traits)])])
  return { thresholds, threshold_lists, annotations: Object.fromEntries(annotations), duration: Math.min(longest, accessDuration.max) }
}

type About = Pick<RequestSpec, 'user' | 'roles' | 'reason'>

const subjectOf = ({ name, roles, traits }: Holder, { roles: asked, reason }: About, said: string) => ({
  reviewer: { name, roles: roles.map(({ metadata }) => metadata.name), traits },
  request: { roles: asked, reason },
  review: { reason: said },
})

const meets = (source: string, subject: Readonly<Record<string, unknown>>, unreadable: boolean): boolean =>
  source.trim() === '' || (compileCondition(source, 'threshold')?.test(subject) ?? unreadable)

/** Whether somebody may decide about a request: never about their own, and about all of its roles or not at all. */
export function mayReview(holder: Holder): (request: About) => boolean {
  const conditionsOf = (effect: 'allow' | 'deny') =>
    holder.roles.flatMap(({ spec }) => {
      const conditions = spec[effect].review_requests
      return conditions ? [{ patterns: patternsOf(conditions, holder.traits), where: conditions.where }] : []
    })
  const given = { allow: conditionsOf('allow'), deny: conditionsOf('deny') }
  return (request) => {
    if (holder.name === request.user || given.allow.length === 0 || request.roles.length === 0) return false
    const subject = subjectOf(holder, request, '')
    const says = (effect: 'allow' | 'deny', role: string): boolean =>
      given[effect].some(({ patterns, where }) => matchesAny(patterns, role) && meets(where, subject, effect === 'deny'))
    return request.roles.every((role) => says('allow', role) && !says('deny', role))
  }
}

/** The thresholds toward which a review counts. */
export function thresholdsOf(
  holder: Holder,
  request: About & Pick<RequestSpec, 'thresholds'>,
  { reason }: Pick<Review, 'reason'>,
): number[] {
  const subject = subjectOf(holder, request, reason)
  return request.thresholds.flatMap(({ filter }, index) => (meets(filter, subject, false) ? [index] : []))
}
