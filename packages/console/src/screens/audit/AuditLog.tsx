import { RefreshCw } from 'lucide-react'
import { ListError } from '../../parts/list/ListError.tsx'
import { OlderNote } from '../../parts/list/OlderNote.tsx'
import { RangePicker } from '../../parts/range/RangePicker.tsx'
import { ZoneSwitch } from '../../parts/range/ZoneSwitch.tsx'
import { formatDate } from '../../ui/dates.ts'
import { FilterChip, FilterChips } from '../../ui/FilterChip.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { pageText } from '../../ui/page-numbers.ts'
import { PageHead, Toolbar } from '../../ui/PageHead.tsx'
import { NumberedPager } from '../../ui/Pager.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { inspectorGrid } from '../../ui/SidePanel.tsx'
import { Table } from '../../ui/Table.tsx'
import { isTyping } from '../../ui/use-list-keys.ts'
import { AuditEmpty } from './AuditEmpty.tsx'
import { EventInspector } from './EventInspector.tsx'
import { ExportMenu } from './ExportMenu.tsx'
import { Histogram } from './Histogram.tsx'
import { SeverityFilter } from './SeverityFilter.tsx'
import { TypeFilter } from './TypeFilter.tsx'
import { auditPageSize, useAuditList } from './use-audit-list.ts'

const figure = (count: number | undefined): string => (count ?? 0).toLocaleString('en')

/** What happened in a cluster, newest first. */
export function AuditLog() {
  const list = useAuditList()
  const { zone, pages, events, rows, count, page, selected, open, previous, next, setAddress, span, setSpan } = list
  const { query } = pages
  return (
    <div
      role="presentation"
      className={inspectorGrid(selected !== undefined)}
      onKeyDown={(event) => {
        if (!selected || isTyping(event.target) || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
        const target = event.key === 'ArrowUp' ? previous : next
        if (!target) return
        event.preventDefault()
        open(target)
      }}
    >
      <div>
        <PageHead title="Audit log" count={count || undefined}>
          <ZoneSwitch zone={zone} onZone={list.setZone} />
          <ExportMenu name={`${list.clusterId}-audit-${formatDate(list.from, 'YYYY-MM-DD', zone)}`} collect={list.collect} />
        </PageHead>
        <Toolbar>
          <RangePicker range={list.range} zone={zone} onRange={list.setRange} />
          <TypeFilter
            chosen={list.types}
            events={events ?? []}
            onChosen={(types) => setAddress({ include: types.join(',') || undefined, page: undefined })}
          />
          <SeverityFilter
            counts={list.counts}
            chosen={list.severities}
            onChosen={(chosen) => setAddress({ severity: chosen.join(',') || undefined, page: undefined })}
          />
          <SearchField label="Search events" value={list.draft.text} onValue={list.draft.change} onSubmit={list.draft.submit} />
          <IconButton
            icon={RefreshCw}
            label="Refresh"
            busy={query.isRefetching && !query.isPlaceholderData}
            onClick={() => void query.refetch()}
          />
        </Toolbar>
        {events && events.length > 0 && <Histogram buckets={list.buckets} zone={zone} span={span} onSpan={setSpan} />}
        {span && (
          <FilterChips>
            <FilterChip
              name="time"
              value={`${formatDate(new Date(span.from), 'MM-DD HH:mm', zone)} to ${formatDate(new Date(span.to), 'MM-DD HH:mm', zone)}`}
              onRemove={() => setSpan(undefined)}
            />
          </FilterChips>
        )}
        {query.error && (
          <ListError
            error={query.error}
            things="events"
            rule="event: list"
            onRetry={() => void (query.isFetchNextPageError ? query.fetchNextPage() : query.refetch())}
          />
        )}
        {(rows || !query.error) && (
          <Table
            list={list.table}
            label="Events"
            refetching={query.isPlaceholderData}
            look={(event) => (event === selected ? 'selected' : undefined)}
            onOpen={open}
            onSort={(sort) => setAddress({ sort: `${sort.id}:${sort.desc ? 'desc' : 'asc'}`, page: undefined })}
            skeletonRows={12}
            empty={<AuditEmpty list={list} />}
          />
        )}
        {count > 0 && (
          <NumberedPager
            text={
              list.q ? `${figure(count)} found, searching ${figure(events?.length)} loaded events` : pageText(page, auditPageSize, count)
            }
            page={page}
            pageCount={list.table.pageCount}
            onPage={(to) => setAddress({ page: to === 0 ? undefined : String(to + 1) })}
          >
            <OlderNote pages={pages} zone={zone} action="Load older" />
          </NumberedPager>
        )}
      </div>
      {selected && (
        <EventInspector
          event={selected}
          clusterId={list.clusterId}
          dateTimeFormat={list.dateTimeFormat}
          onPrevious={previous && (() => open(previous))}
          onNext={next && (() => open(next))}
          onClose={() => open(undefined)}
          onFact={(value) => setAddress({ q: value, page: undefined })}
        />
      )}
    </div>
  )
}
