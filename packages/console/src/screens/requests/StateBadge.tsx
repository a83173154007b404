import { Badge } from '../../ui/Badge.tsx'
import type { BadgeTone } from '../../ui/Badge.tsx'
import type { RequestRow } from './use-requests.ts'

const states: Record<string, { tone: BadgeTone; word: string }> = {
  PENDING: { tone: 'warn', word: 'Pending' },
  APPROVED: { tone: 'ok', word: 'Approved' },
  DENIED: { tone: 'danger', word: 'Denied' },
  EXPIRED: { tone: 'outline', word: 'Expired' },
}

/** What has become of a request. */
export function StateBadge({ row: { request, isAssumed } }: { row: RequestRow }) {
  if (request.locked !== '' && request.state !== 'EXPIRED') return <Badge tone="danger">Locked</Badge>
  if (isAssumed) return <Badge tone="brand">In use</Badge>
  const { tone, word } = states[request.state] ?? { tone: 'neutral', word: request.state.toLowerCase() }
  return <Badge tone={tone}>{word}</Badge>
}
