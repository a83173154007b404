/** What reviews amount to: PENDING becomes APPROVED or DENIED once, and nothing after. */
import type { RequestState } from '@sallyport/wire/entities/access-request.ts'
import type { RequestSpec, Review } from './request.ts'

type Judged = Pick<RequestSpec, 'roles' | 'thresholds' | 'threshold_lists' | 'reviews'>

const countFor = (reviews: readonly Review[], state: Review['state'], threshold: number): number =>
  reviews.filter((review) => review.state === state && review.thresholds.includes(threshold)).length

/** How many reviews count toward a threshold. */
export const reviewsToward = ({ reviews }: Pick<Judged, 'reviews'>, threshold: number): { approvals: number; denials: number } => ({
  approvals: countFor(reviews, 'APPROVED', threshold),
  denials: countFor(reviews, 'DENIED', threshold),
})

/** The roles that no approval has left out. */
export const rolesLeft = ({ roles, reviews }: Pick<Judged, 'roles' | 'reviews'>): string[] =>
  roles.filter((role) => reviews.every((review) => review.state !== 'APPROVED' || review.roles.length === 0 || review.roles.includes(role)))

/**
 * One threshold that is reached by denials denies. It takes, for every role that is left, a reached threshold in each list:
 * whoever may ask by two of their roles needs what both of them ask for. A count of 0 is never reached.
 */
export function judge(request: Judged): RequestState {
  const { thresholds, threshold_lists: lists } = request
  const counts = thresholds.map((_, index) => reviewsToward(request, index))
  if (thresholds.some(({ deny }, index) => deny > 0 && (counts[index]?.denials ?? 0) >= deny)) return 'DENIED'
  const isReached = (index: number): boolean => {
    const approve = thresholds[index]?.approve ?? 0
    return approve > 0 && (counts[index]?.approvals ?? 0) >= approve
  }
  const left = rolesLeft(request)
  const isApproved = (role: string): boolean => {
    const needed = Object.hasOwn(lists, role) ? (lists[role] ?? []) : []
    return needed.length > 0 && needed.every((list) => list.some(isReached))
  }
  return left.length > 0 && left.every(isApproved) ? 'APPROVED' : 'PENDING'
}

/** With one more review. What has left PENDING takes it down, and stays what it is. `now`: epoch milliseconds. */
export function withReview(request: RequestSpec, review: Review, now: number): RequestSpec {
  const reviewed = { ...request, reviews: [...request.reviews, review] }
  if (request.state !== 'PENDING') return reviewed
  const state = judge(reviewed)
  if (state === 'PENDING') return reviewed
  return decided(reviewed, state, review.reason, now)
}

/** The access counts from its approval on. */
export function decided(request: RequestSpec, state: 'APPROVED' | 'DENIED', reason: string, now: number): RequestSpec {
  if (request.state !== 'PENDING') return request
  if (state === 'DENIED') return { ...request, state, resolve_reason: reason }
  const access_until = new Date(now + request.duration).toISOString()
  return { ...request, state, roles: rolesLeft(request), resolve_reason: reason, access_until }
}
