import { useMemo } from 'react'
import * as z from 'zod/mini'
import { toAuditDisplay } from '@sallyport/wire/audit/catalogue.ts'
import type { AuditDisplay } from '@sallyport/wire/audit/catalogue.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { auditFetchLimit } from '@sallyport/wire/limits.ts'
import { request } from '../../api/page.ts'
import { useEventPages } from '../../parts/list/use-event-pages.ts'
import { wholeListShape } from '../../parts/list/use-whole-list.ts'
import { rangeTimes } from '../../parts/range/range.ts'
import type { Range } from '../../parts/range/range.ts'
import { rangeShape } from '../../parts/range/use-range.ts'
import type { Zone } from '../../ui/dates.ts'
import { useNow } from '../../ui/use-now.ts'

export const auditList = {
  order: { fields: ['created', 'type', 'user'], descending: true },
  size: 50,
  keyOf: (event: AuditDisplay): string => event.id,
} as const

/** What the address of the log holds. `include` and `severity` are lists joined by commas. */
export const auditSearch = z.object({
  ...rangeShape,
  ...wholeListShape(auditList.order),
  include: z.optional(z.string()),
  severity: z.optional(z.string().check(z.regex(/^(info|warning|error)(,(info|warning|error))*$/))),
  event: z.optional(z.string()),
})

/** The events of a range and of some types (all when none is named), as the list shows them. */
export function useAudit(clusterId: string, range: Range, zone: Zone, include: string) {
  const now = useNow()
  const { from, to } = rangeTimes(range, now, zone)
  const query = { from: from.toISOString(), to: to.toISOString(), limit: auditFetchLimit, ...(include && { include }) }
  const pages = useEventPages([searchEvents.id, { params: { clusterId }, query }], (startKey, signal) =>
    request(searchEvents, { params: { clusterId }, query: { ...query, ...(startKey && { startKey }) } }, { signal }),
  )
  const events = useMemo(() => pages.events?.map(toAuditDisplay), [pages.events])
  return { pages, events, from, to, now }
}
