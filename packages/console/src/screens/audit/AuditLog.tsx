import { RefreshCw } from 'lucide-react'
import { ListError } from '../../parts/list/ListError.tsx'
import { OlderNote } from '../../parts/list/OlderNote.tsx'
import { RangePicker } from '../../parts/range/RangePicker.tsx'
import { ZoneSwitch } from '../../parts/range/ZoneSwitch.tsx'
import { formatDate } from '../../ui/dates.ts'
import { FilterChip, FilterChips } from '../../ui/FilterChip.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { NumberedPager } from '../../ui/NumberedPager.tsx'
import { PageHead, Toolbar } from '../../ui/PageHead.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { inspectorGrid } from '../../ui/SidePanel.tsx'
import { Table } from '../../ui/Table.tsx'
import { isTyping } from '../../ui/use-list-keys.ts'
import { AuditEmpty } from './AuditEmpty.tsx'
import { EventInspector } from './EventInspector.tsx'
import { ExportMenu } from './ExportMenu.tsx'
import { Histogram, HistogramPlace } from './Histogram.tsx'
import { SeverityFilter } from './SeverityFilter.tsx'
import { TypeFilter } from './TypeFilter.tsx'
import { useAuditList } from './use-audit-list.ts'

const figure = (count: number | undefined): string => (count ?? 0).toLocaleString('en')

/** What happened in a cluster, newest first. */
export function AuditLog() {
  const log = useAuditList()
  const { list, zone, pages, events, rows, selected, open, previous, next, setAddress, span, setSpan } = log
  const { query } = pages
  const count = list.table.sorted.length
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
          <ZoneSwitch zone={zone} onZone={log.setZone} />
          <ExportMenu name={`${log.clusterId}-audit-${formatDate(log.from, 'YYYY-MM-DD', zone)}`} collect={log.collect} />
        </PageHead>
        <Toolbar>
          <RangePicker range={log.range} zone={zone} onRange={log.setRange} />
          <TypeFilter
            chosen={log.types}
            events={events ?? []}
            onChosen={(types) => setAddress({ include: types.join(',') || undefined, page: undefined })}
          />
          <SeverityFilter
            counts={log.counts}
            chosen={log.severities}
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
        {!events && !query.error && <HistogramPlace />}
        {events && events.length > 0 && <Histogram buckets={log.buckets} zone={zone} span={span} onSpan={setSpan} />}
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
            onSort={list.onSort}
            skeletonRows={12}
            empty={<AuditEmpty list={log} />}
          />
        )}
        <NumberedPager
          list={list.table}
          text={list.q && `${figure(count)} found, searching ${figure(events?.length)} loaded events`}
          onPage={list.onPage}
        >
          <OlderNote pages={pages} zone={zone} action="Load older" />
        </NumberedPager>
      </div>
      {selected && (
        <EventInspector
          event={selected}
          clusterId={log.clusterId}
          dateTimeFormat={log.dateTimeFormat}
          onPrevious={previous && (() => open(previous))}
          onNext={next && (() => open(next))}
          onClose={() => open(undefined)}
          onFact={(value) => setAddress({ q: value, page: undefined })}
        />
      )}
    </div>
  )
}
