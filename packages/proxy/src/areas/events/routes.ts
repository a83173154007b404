import * as calls from '@sallyport/wire/calls/events.ts'
import type { AuditEventWire } from '@sallyport/wire/audit/event.ts'
import type { QueryOf } from '@sallyport/wire/call.ts'
import type { AccessChecker } from '../../core/access/checker.ts'
import type { Audit, AuditQuery } from '../../core/audit/audit.ts'
import type { Clock } from '../../core/clock.ts'
import { requireOwnCluster } from '../../core/cluster/cluster.ts'
import type { OwnCluster } from '../../core/cluster/cluster.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'

export interface EventsDeps {
  cluster: OwnCluster
  audit: Pick<Audit, 'search'>
  clock: Clock
}

/** Event types that stand for a recording. */
const sessionEndTypes = ['session.end', 'windows.desktop.session.end'] as const

type RangeQuery = QueryOf<typeof calls.searchSessions>

/** Without a range, the month that ends now. */
function rangeOf(query: RangeQuery, now: number): Omit<AuditQuery, 'types'> {
  const to = query.to ?? query.end ?? new Date(now)
  const monthAgo = new Date(now)
  monthAgo.setUTCMonth(monthAgo.getUTCMonth() - 1)
  return {
    from: query.from ?? query.start ?? monthAgo,
    to,
    limit: query.limit,
    startKey: query.startKey ?? '',
    order: query.order === 'asc' ? 'asc' : 'desc',
  }
}

/** Whether the caller may see a recording; roles may allow only those in which the caller took part. */
const mayList = (access: AccessChecker, event: AuditEventWire): boolean =>
  access.allows('session', 'list', {
    session: { ...event, participants: event['participants'] ?? (event.user === undefined ? [] : [event.user]) },
  })

export const eventsRoutes = ({ cluster, audit, clock }: EventsDeps): Route[] => [
  on(calls.searchEvents, ({ params, query }) => {
    requireOwnCluster(cluster, params.clusterId)
    const types = query.include ? query.include.split(',').filter((type) => type !== '') : undefined
    return audit.search({ ...rangeOf(query, clock.now()), types })
  }),
  on(calls.searchSessions, ({ params, query, caller: { access } }) => {
    requireOwnCluster(cluster, params.clusterId)
    return audit.search({ ...rangeOf(query, clock.now()), types: sessionEndTypes, accepts: (event) => mayList(access, event) })
  }),
]
