import { useMemo, useState } from 'react'
import { toAuditDisplay } from '@sallyport/wire/audit/catalogue.ts'
import type { AuditDisplay } from '@sallyport/wire/audit/catalogue.ts'
import { severities as allSeverities } from './audit-filter.ts'
import { config } from '../../api/page.ts'
import { useWholeList } from '../../parts/list/use-whole-list.ts'
import { useRange } from '../../parts/range/use-range.ts'
import { useZone } from '../../parts/range/ZoneSwitch.tsx'
import { useClusterId } from '../../parts/use-route.ts'
import { useSearchState } from '../../parts/use-search.ts'
import { media, useMedia } from '../../ui/use-media.ts'
import { auditColumns } from './audit-columns.tsx'
import { countBySeverity, filterEvents, histogram } from './audit-filter.ts'
import type { Span } from './audit-filter.ts'
import { auditList, auditSearch, useAudit } from './use-audit.ts'

const slices = 72
const { dateTimeFormat } = config.loc
const listOf = (text: string | undefined): string[] => (text ? text.split(',') : [])

/** The log as the address asks for it: what is loaded, what the filter leaves of it, and which event is open. */
export function useAuditList() {
  const clusterId = useClusterId()
  const [address, setAddress] = useSearchState(auditSearch)
  const [zone, setZone] = useZone()
  const [span, setSpan] = useState<Span>()
  const [range, setRange] = useRange('audit', address, (fields) => {
    setSpan(undefined)
    setAddress({ ...fields, page: undefined })
  })
  const include = address.include ?? ''
  const { pages, events, from, to, now } = useAudit(clusterId, range, zone, include)
  const q = address.q ?? ''

  const severities = useMemo(() => allSeverities.filter((severity) => listOf(address.severity).includes(severity)), [address.severity])
  const wholeFilter = useMemo(() => ({ text: q, severities, span: undefined, zone, dateTimeFormat }), [q, severities, zone])
  const inRange = useMemo(() => events && filterEvents(events, wholeFilter), [events, wholeFilter])
  const rows = useMemo(() => (span && inRange ? filterEvents(inRange, { ...wholeFilter, span }) : inRange), [inRange, wholeFilter, span])
  const counts = useMemo(() => countBySeverity(events ?? []), [events])
  const [start, end] = [from.getTime(), Math.min(to.getTime() + 1, nextHour(now))]
  const buckets = useMemo(() => histogram(inRange ?? [], start, end, slices), [inRange, start, end])

  const selected = events?.find((event) => event.id === address.event)
  const narrow = useMedia(media.wide) && selected !== undefined
  const columns = useMemo(
    () => auditColumns({ zone, dateTimeFormat, narrow, onOpen: (event) => setAddress({ event: event.id }, { replace: true }) }),
    [zone, narrow, setAddress],
  )
  const list = useWholeList(auditList, { columns, rows, address, setAddress })
  const { table } = list

  const open = (event: AuditDisplay | undefined): void => {
    const index = event ? table.sorted.indexOf(event) : -1
    const at = index < 0 ? table.page : Math.floor(index / table.pageSize)
    setAddress({ event: event?.id, page: at === 0 ? undefined : String(at + 1) }, { replace: true })
  }
  const index = selected ? table.sorted.indexOf(selected) : -1

  /** The filtered events of the whole range, loading what is missing; undefined when a part cannot be loaded. */
  const collect = async (): Promise<AuditDisplay[] | undefined> => {
    let { data, hasNextPage } = pages.query
    while (hasNextPage) {
      const result = await pages.query.fetchNextPage()
      if (result.error) return undefined
      data = result.data
      hasNextPage = result.hasNextPage
    }
    return (
      data &&
      filterEvents(
        data.pages.flatMap((one) => one.events.map(toAuditDisplay)),
        { ...wholeFilter, span },
      )
    )
  }
  return {
    clusterId,
    dateTimeFormat,
    zone,
    setZone,
    range,
    setRange,
    span,
    setSpan,
    from,
    list,
    q,
    severities,
    setAddress,
    address,
    types: listOf(include),
    pages,
    events,
    rows,
    counts,
    buckets,
    selected,
    open,
    previous: index > 0 ? table.sorted[index - 1] : undefined,
    next: index >= 0 ? table.sorted[index + 1] : undefined,
    collect,
    clear() {
      setSpan(undefined)
      setAddress({ q: undefined, severity: undefined, include: undefined, page: undefined })
    },
  }
}
export type AuditList = ReturnType<typeof useAuditList>

/** The histogram ends with the running hour: the rest of today has no events yet. */
function nextHour(now: Date): number {
  return (Math.floor(now.getTime() / 3_600_000) + 1) * 3_600_000
}
