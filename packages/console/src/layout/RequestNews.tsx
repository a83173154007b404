import { useQuery } from '@tanstack/react-query'
import { list } from '@sallyport/wire/calls/access-requests.ts'
import { toAccessRequest } from '@sallyport/wire/entities/access-request.ts'
import { callQuery } from '../api/queries.ts'
import { useUserContext } from '../parts/user-context.tsx'
import { Badge } from '../ui/Badge.tsx'
import type { BadgeTone } from '../ui/Badge.tsx'
import { useNow } from '../ui/use-now.ts'

const pollEvery = 30_000

/** Beside the way to the access requests: how many wait for the viewer's review, or else how many of their own were approved. */
export function RequestNews() {
  const { username, assumed } = useUserContext()
  const { data } = useQuery({ ...callQuery(list), refetchInterval: pollEvery })
  const now = useNow(pollEvery)
  const requests = (data ?? []).map((wire) => toAccessRequest(wire, now.getTime()))
  const toReview = requests.filter(({ mayReview }) => mayReview).length
  if (toReview > 0) return <News tone="warn" count={toReview} word="to review" />
  const given = requests.filter(
    ({ id, user, state, locked }) => user === username && state === 'APPROVED' && locked === '' && assumed.every((one) => one.id !== id),
  ).length
  return given > 0 && <News tone="ok" count={given} word="approved" />
}

/** There is room for a number; what it counts is said. */
function News({ tone, count, word }: { tone: BadgeTone; count: number; word: string }) {
  return (
    <span role="img" aria-label={`${count} ${word}`} title={`${count} ${word}`}>
      <Badge tone={tone}>{count > 99 ? '99+' : count}</Badge>
    </span>
  )
}
