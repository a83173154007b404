import { expect, test } from 'vitest'
import { parseResource } from '../resources/resources.ts'
import { roleKind } from '../access/role.ts'
import type { RoleSpecInput } from '../access/role.ts'
import { grantsOf, mayReview, requestableRoles, suggestedReviewers, termsOf, thresholdsOf } from './conditions.ts'
import type { Holder } from './conditions.ts'

const role = (name: string, spec: RoleSpecInput) => parseResource(roleKind, { metadata: { name }, spec })
const holder = (roles: Record<string, RoleSpecInput>, name = 'bob', traits: Holder['traits'] = {}): Holder => ({
  name,
  roles: Object.entries(roles).map(([each, spec]) => role(each, spec)),
  traits,
})
const all = ['dba', 'ops', 'prod-eu', 'prod-us', 'team-web', 'other']

test('roles may be named, be patterns, and come from traits; what one role denies and what is held is not asked for', () => {
  const bob = holder(
    {
      dev: {
        allow: { request: { roles: ['dba', 'prod-*'], claims_to_roles: [{ claim: 'groups', value: '^(.*)-devs$', roles: ['team-$1'] }] } },
      },
      limits: { deny: { request: { roles: ['prod-us'] } } },
    },
    'bob',
    { groups: ['web-devs', 'others'] },
  )
  expect(requestableRoles(bob, all)).toEqual(['dba', 'prod-eu', 'team-web'])
  expect(requestableRoles(bob, [...all, 'dev', 'limits'])).toEqual(['dba', 'prod-eu', 'team-web'])
  const held = holder({ dba: {}, asks: { allow: { request: { roles: ['dba', 'ops'] } } } })
  expect(requestableRoles(held, all)).toEqual(['ops'])
  expect(requestableRoles(holder({ plain: {} }), all)).toEqual([])
})

test('what roles to search as are for is resources, and no reason to be given the roles themselves', () => {
  const bob = holder({ dev: { allow: { request: { search_as_roles: ['dba'] } } } })
  expect(requestableRoles(bob, all)).toEqual([])
  expect(grantsOf(bob, 'dba', 'resource')).toHaveLength(1)
})

test('suggested reviewers are those of all roles but for denied ones', () => {
  const bob = holder({
    a: { allow: { request: { suggested_reviewers: ['carol', 'erin'] } } },
    b: { allow: { request: { suggested_reviewers: ['carol', 'frank'] } }, deny: { request: { suggested_reviewers: ['erin'] } } },
  })
  expect(suggestedReviewers(bob)).toEqual(['carol', 'frank'])
})

test('each role that lets ask brings its thresholds, once; the shortest time counts, 30 hours without one and 14 days at most', () => {
  const two = { name: 'two', filter: 'contains(reviewer.roles, "dba")', approve: 2, deny: 1 }
  const bob = holder({
    a: { allow: { request: { roles: ['dba', 'ops'], thresholds: [two], max_duration: '14h', annotations: { ticket: 'x' } } } },
    b: { allow: { request: { roles: ['ops'], max_duration: '2h' } } },
  })
  const { thresholds, threshold_lists, duration, annotations } = termsOf(bob, ['dba', 'ops'], 'role')
  expect(thresholds).toEqual([two, { name: 'default', filter: '', approve: 1, deny: 1 }])
  expect(threshold_lists).toEqual({ dba: [[0]], ops: [[0], [1]] })
  expect(duration).toBe(2 * 3_600_000)
  expect(annotations).toEqual({ ticket: ['x'] })
  expect(termsOf(bob, ['dba'], 'role').duration).toBe(14 * 3_600_000)
  expect(termsOf(holder({ c: { allow: { request: { roles: ['dba'] } } } }), ['dba'], 'role').duration).toBe(30 * 3_600_000)
  expect(termsOf(holder({ c: { allow: { request: { roles: ['dba'], max_duration: '90d' } } } }), ['dba'], 'role').duration).toBe(
    14 * 24 * 3_600_000,
  )
})

test('reviewing takes conditions for every role, met, and denied by no role; nobody reviews their own', () => {
  const about = { user: 'bob', roles: ['dba', 'ops'], reason: 'ticket 5' }
  const reviewer = (roles: Record<string, RoleSpecInput>) => mayReview(holder(roles, 'carol', { team: ['db'] }))(about)
  expect(reviewer({ r: { allow: { review_requests: { roles: ['*'] } } } })).toBe(true)
  expect(reviewer({ r: { allow: { review_requests: { roles: ['dba'] } } } })).toBe(false)
  expect(reviewer({ r: { allow: { review_requests: { roles: ['dba'] } } }, s: { allow: { review_requests: { roles: ['ops'] } } } })).toBe(
    true,
  )
  expect(reviewer({ r: { allow: { review_requests: { roles: ['*'], where: 'contains(reviewer.traits["team"], "db")' } } } })).toBe(true)
  expect(reviewer({ r: { allow: { review_requests: { roles: ['*'], where: 'equals(request.reason, "x")' } } } })).toBe(false)
  expect(reviewer({ r: { allow: { review_requests: { roles: ['*'] } } }, d: { deny: { review_requests: { roles: ['ops'] } } } })).toBe(
    false,
  )
  expect(reviewer({})).toBe(false)
  expect(mayReview(holder({ r: { allow: { review_requests: { roles: ['*'] } } } }, 'bob'))(about)).toBe(false)
})

test('a review counts where the filter is met by who reviews, what they say and what is asked for', () => {
  const thresholds = [
    { name: 'any', filter: '', approve: 1, deny: 1 },
    { name: 'dbas', filter: 'contains(reviewer.roles, "dba")', approve: 1, deny: 1 },
    { name: 'ticket', filter: 'equals(review.reason, "seen")', approve: 1, deny: 1 },
    { name: 'for ops', filter: 'contains(request.roles, "ops")', approve: 1, deny: 1 },
    { name: 'broken', filter: 'nonsense(', approve: 1, deny: 1 },
  ]
  const carol = holder({ dba: {} }, 'carol')
  expect(thresholdsOf(carol, { user: 'bob', roles: ['ops'], reason: '', thresholds }, { reason: 'seen' })).toEqual([0, 1, 2, 3])
  expect(thresholdsOf(holder({}, 'erin'), { user: 'bob', roles: ['dba'], reason: '', thresholds }, { reason: '' })).toEqual([0])
})
