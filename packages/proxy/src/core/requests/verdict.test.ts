import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RequestSpec, Review } from './request.ts'
import { decided, judge, reviewsToward, withReview } from './verdict.ts'

const now = Date.parse('2026-11-21T10:00:00Z')
const hour = 3_600_000

const request = (given: Partial<RequestSpec> = {}): RequestSpec => ({
  user: 'bob',
  roles: ['dba'],
  resources: [],
  state: 'PENDING',
  reason: '',
  resolve_reason: '',
  suggested_reviewers: [],
  annotations: {},
  created: new Date(now).toISOString(),
  pending_until: new Date(now + hour).toISOString(),
  duration: hour,
  session_ttl: hour,
  access_until: new Date(now + hour).toISOString(),
  thresholds: [{ name: 'default', filter: '', approve: 1, deny: 1 }],
  threshold_lists: { dba: [[0]] },
  reviews: [],
  expiry_told: false,
  ...given,
})
let authors = 0
const review = (state: Review['state'], thresholds: number[] = [0], roles: string[] = []): Review => ({
  author: `reviewer-${(authors += 1)}`,
  roles,
  state,
  reason: 'as asked',
  created: new Date(now).toISOString(),
  thresholds,
})
const after = (spec: RequestSpec, ...reviews: Review[]): RequestSpec => reviews.reduce((held, each) => withReview(held, each, now), spec)

test('one approval approves, one denial denies, where no role says otherwise; the access counts from then on', () => {
  expect(withReview(request(), review('APPROVED'), now + hour / 2)).toMatchObject({
    state: 'APPROVED',
    resolve_reason: 'as asked',
    access_until: new Date(now + 1.5 * hour).toISOString(),
  })
  expect(after(request(), review('DENIED')).state).toBe('DENIED')
})

test('reviews count toward the thresholds whose filter they meet, and toward no other', () => {
  const two = request({ thresholds: [{ name: 'two', filter: 'x', approve: 2, deny: 2 }], threshold_lists: { dba: [[0]] } })
  expect(after(two, review('APPROVED'), review('APPROVED', [])).state).toBe('PENDING')
  expect(after(two, review('APPROVED'), review('DENIED'), review('APPROVED')).state).toBe('APPROVED')
  expect(after(two, review('DENIED'), review('APPROVED'), review('DENIED')).state).toBe('DENIED')
})

test('every role needs one threshold of each list; one alone does not carry another', () => {
  const thresholds = [
    { name: 'dbas', filter: '', approve: 1, deny: 1 },
    { name: 'leads', filter: '', approve: 1, deny: 0 },
    { name: 'many', filter: '', approve: 3, deny: 0 },
  ]
  const both = request({ roles: ['dba', 'ops'], thresholds, threshold_lists: { dba: [[0]], ops: [[0], [1, 2]] } })
  expect(after(both, review('APPROVED', [0])).state).toBe('PENDING')
  expect(after(both, review('APPROVED', [0]), review('APPROVED', [1])).state).toBe('APPROVED')
  expect(after(both, review('APPROVED', [0, 2]), review('APPROVED', [2]), review('APPROVED', [2])).state).toBe('APPROVED')
})

test('a role that nothing asks to be approved is never approved, nor is one whose thresholds have no number', () => {
  expect(after(request({ threshold_lists: {} }), review('APPROVED')).state).toBe('PENDING')
  const never = request({ thresholds: [{ name: '', filter: '', approve: 0, deny: 0 }] })
  expect(after(never, review('APPROVED'), review('DENIED')).state).toBe('PENDING')
})

test('an approval of some roles leaves the others out', () => {
  const both = request({ roles: ['dba', 'ops'], threshold_lists: { dba: [[0]], ops: [[0]] } })
  expect(after(both, review('APPROVED', [0], ['ops']))).toMatchObject({ state: 'APPROVED', roles: ['ops'] })
})

const anyReview = fc.record({
  state: fc.constantFrom('APPROVED' as const, 'DENIED' as const),
  thresholds: fc.subarray([0, 1, 2]),
  roles: fc.subarray(['dba', 'ops']),
})
const anyRequest = fc.record({
  thresholds: fc.array(
    fc.record({
      name: fc.constant('t'),
      filter: fc.constant(''),
      approve: fc.integer({ min: 0, max: 3 }),
      deny: fc.integer({ min: 0, max: 3 }),
    }),
    { minLength: 3, maxLength: 3 },
  ),
  dba: fc.array(fc.subarray([0, 1, 2], { minLength: 1 }), { minLength: 1, maxLength: 2 }),
  ops: fc.array(fc.subarray([0, 1, 2], { minLength: 1 }), { minLength: 1, maxLength: 2 }),
})

test('R4-044: whatever reviews come, nothing leaves a final state, and no state is reached without the reviews that it takes', () => {
  fc.assert(
    fc.property(anyRequest, fc.array(anyReview, { maxLength: 8 }), ({ thresholds, dba, ops }, reviews) => {
      let held = request({ roles: ['dba', 'ops'], thresholds, threshold_lists: { dba, ops } })
      for (const { state, thresholds: toward, roles } of reviews) {
        const before = held
        held = withReview(before, review(state, toward, roles), now)
        expect(held.reviews).toHaveLength(before.reviews.length + 1)
        if (before.state !== 'PENDING') expect({ ...held, reviews: [] }).toEqual({ ...before, reviews: [] })
        else if (held.state === 'APPROVED') {
          const reached = thresholds.map(({ approve }, index) => approve > 0 && reviewsToward(held, index).approvals >= approve)
          for (const role of held.roles)
            for (const list of held.threshold_lists[role] ?? []) expect(list.some((index) => reached[index])).toBe(true)
          expect(held.roles.length).toBeGreaterThan(0)
        } else if (held.state === 'DENIED')
          expect(thresholds.some(({ deny }, index) => deny > 0 && reviewsToward(held, index).denials >= deny)).toBe(true)
        else expect(judge(held)).toBe('PENDING')
      }
      for (const state of ['APPROVED', 'DENIED'] as const)
        if (held.state !== 'PENDING') expect(decided(held, state, 'again', now)).toBe(held)
    }),
  )
})
