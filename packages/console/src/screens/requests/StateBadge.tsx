import { Badge } from '../../ui/Badge.tsx'
import type { BadgeTone } from '../../ui/Badge.tsx'
import type { RequestRow } from './use-requests.ts'

const states: Record<string, { tone: BadgeTone; word: string }> = {
  PENDING: { tone: 'warn', word: 'pending' },
  APPROVED: { tone: 'ok', word: 'approved' },
  DENIED: { tone: 'danger', word: 'denied' },
  EXPIRED: { tone: 'outline', word: 'expired' },
}

/** What has become of a request. */
export function StateBadge({ row: { request, isAssumed } }: { row: RequestRow }) {
  if (request.locked !== '' && request.state !== 'EXPIRED') return <Badge tone="danger">locked</Badge>
  if (isAssumed) return <Badge tone="brand">in use</Badge>
  const { tone, word } = states[request.state] ?? { tone: 'neutral', word: request.state.toLowerCase() }
  return <Badge tone={tone}>{word}</Badge>
}
