import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { list } from '@sallyport/wire/calls/access-requests.ts'
import { toAccessRequest } from '@sallyport/wire/entities/access-request.ts'
import type { AccessRequest } from '@sallyport/wire/entities/access-request.ts'
import { callQuery, queryClient } from '../../api/queries.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { useNow } from '../../ui/use-now.ts'

/** Others decide meanwhile. */
const pollEvery = 15_000

export const requestViews = ['review', 'mine', 'approved', 'denied', 'all'] as const
export type RequestView = (typeof requestViews)[number]

export interface RequestRow {
  request: AccessRequest
  isOwn: boolean
  /** The session of the viewer has it. */
  isAssumed: boolean
}

export const refreshRequests = (): Promise<void> => queryClient.invalidateQueries({ queryKey: [list.id] })

/** Every request that the viewer may see. */
export function useRequests() {
  const { username, assumed } = useUserContext()
  const query = useQuery({ ...callQuery(list), refetchInterval: pollEvery })
  const now = useNow(pollEvery)
  const rows = useMemo(
    () =>
      query.data?.map((wire): RequestRow => {
        const request = toAccessRequest(wire, now.getTime())
        const isOwn = request.user === username
        // Proxies that do not say so refuse what the viewer may not decide; nobody decides about what they ask for themselves.
        const mayReview = wire.mayReview === undefined ? request.state === 'PENDING' && !isOwn : request.mayReview
        return { request: { ...request, mayReview }, isOwn, isAssumed: assumed.some(({ id }) => id === request.id) }
      }),
    [query.data, username, assumed, now],
  )
  return { query, rows }
}

export function isIn(view: RequestView, { request, isOwn }: RequestRow): boolean {
  switch (view) {
    case 'review':
      return request.mayReview
    case 'mine':
      return isOwn
    case 'approved':
      return request.state === 'APPROVED'
    case 'denied':
      return request.state === 'DENIED'
    case 'all':
      return true
  }
}

/** What is asked for, in words. */
export const wishOf = ({ roles, resources }: AccessRequest): string[] =>
  resources.length > 0 ? resources.map(({ label }) => label) : roles

/** Everything about a request that a search looks at. */
export const textOf = ({ request }: RequestRow): string =>
  [request.id, request.user, request.state, request.reason, ...request.roles, ...wishOf(request), ...request.suggestedReviewers].join(' ')

/** Whether somebody may take it up now. */
export const canAssume = ({ request, isOwn, isAssumed }: RequestRow): boolean =>
  isOwn && !isAssumed && request.state === 'APPROVED' && request.locked === ''
