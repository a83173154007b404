import { RefreshCw } from 'lucide-react'
import { useMemo } from 'react'
import * as z from 'zod/mini'
import { searchSessions } from '@sallyport/wire/calls/events.ts'
import { toRecording } from '@sallyport/wire/entities/recording.ts'
import type { Recording } from '@sallyport/wire/entities/recording.ts'
import { auditFetchLimit } from '@sallyport/wire/limits.ts'
import { config, request } from '../../api/page.ts'
import { ListError } from '../../parts/list/ListError.tsx'
import { OlderNote } from '../../parts/list/OlderNote.tsx'
import { useDraft } from '../../parts/list/use-draft.ts'
import { useEventPages } from '../../parts/list/use-event-pages.ts'
import { rangeTimes, widerRange } from '../../parts/range/range.ts'
import { RangePicker } from '../../parts/range/RangePicker.tsx'
import { rangeShape, useRange } from '../../parts/range/use-range.ts'
import { useZone, ZoneSwitch } from '../../parts/range/ZoneSwitch.tsx'
import { useClusterId } from '../../parts/use-route.ts'
import { useSearchState } from '../../parts/use-search.ts'
import { Button } from '../../ui/Button.tsx'
import { formatDate } from '../../ui/dates.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { PageHead, Toolbar } from '../../ui/PageHead.tsx'
import { NumberedPager } from '../../ui/Pager.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { Table } from '../../ui/Table.tsx'
import { useListTable } from '../../ui/use-list-table.ts'
import { useNow } from '../../ui/use-now.ts'
import { recordingColumns } from './recording-columns.tsx'

const pageSize = 50
const search = z.object({
  ...rangeShape,
  q: z.optional(z.string()),
  sort: z.optional(z.string().check(z.regex(/^(name|users|duration|created):(asc|desc)$/))),
  page: z.optional(z.string().check(z.regex(/^[1-9]\d{0,4}$/))),
})
const rowKey = (recording: Recording): string => recording.sid
const { dateTimeFormat } = config.loc

/** Whether every word of the text stands somewhere in the row, as it is shown. */
function matches(recording: Recording, words: readonly string[], time: string): boolean {
  const text = [
    recording.hostname,
    recording.users,
    recording.sid,
    recording.durationText,
    recording.description,
    recording.recordingType,
    time,
  ]
    .join(' ')
    .toLowerCase()
  return words.every((word) => text.includes(word))
}

/** Sessions that ended in a range of days, to be played. */
export function Recordings() {
  const clusterId = useClusterId()
  const [address, setAddress] = useSearchState(search)
  const [zone, setZone] = useZone()
  const [range, setRange] = useRange('recordings', address, (fields) => setAddress({ ...fields, page: undefined }))
  const { from, to } = rangeTimes(range, useNow(), zone)
  const query = { from: from.toISOString(), to: to.toISOString(), limit: auditFetchLimit }
  const pages = useEventPages([searchSessions.id, { params: { clusterId }, query }], (startKey, signal) =>
    request(searchSessions, { params: { clusterId }, query: { ...query, ...(startKey && { startKey }) } }, { signal }),
  )
  const q = address.q ?? ''
  const draft = useDraft(q, (text, options) => setAddress({ q: text || undefined, page: undefined }, options), 200)
  const rows = useMemo(() => {
    const words = q.toLowerCase().split(/\s+/).filter(Boolean)
    const recordings = pages.events?.map(toRecording)
    return words.length === 0
      ? recordings
      : recordings?.filter((recording) => matches(recording, words, formatDate(recording.createdDate, dateTimeFormat, zone)))
  }, [pages.events, q, zone])
  const columns = useMemo(() => recordingColumns({ clusterId, zone, dateTimeFormat }), [clusterId, zone])
  const [id = 'created', direction = 'desc'] = address.sort?.split(':') ?? []
  const count = rows?.length ?? 0
  const page = Math.min(Number(address.page ?? 1) - 1, Math.max(0, Math.ceil(count / pageSize) - 1))
  const list = useListTable({ columns, rows, rowKey, sort: { id, desc: direction === 'desc' }, page: { index: page, size: pageSize } })
  const wider = widerRange(range)
  const refetch = () => void pages.query.refetch()
  return (
    <>
      <PageHead title="Session recordings" count={count || undefined}>
        <ZoneSwitch zone={zone} onZone={setZone} />
      </PageHead>
      <Toolbar>
        <RangePicker range={range} zone={zone} onRange={setRange} />
        <SearchField label="Search recordings" value={draft.text} onValue={draft.change} onSubmit={draft.submit} />
        <IconButton icon={RefreshCw} label="Refresh" busy={pages.query.isRefetching && !pages.query.isPlaceholderData} onClick={refetch} />
      </Toolbar>
      {pages.query.error && <ListError error={pages.query.error} things="session recordings" rule="session: list" onRetry={refetch} />}
      {(rows || !pages.query.error) && (
        <Table
          list={list}
          label="Session recordings"
          refetching={pages.query.isPlaceholderData}
          onSort={(next) => setAddress({ sort: `${next.id}:${next.desc ? 'desc' : 'asc'}`, page: undefined })}
          empty={
            q ? (
              <EmptyState plain title="Nothing matches" actions={<Button onClick={() => draft.submit('')}>Clear search</Button>}>
                No recording in this range has “{q}” in its name, users or times.
              </EmptyState>
            ) : (
              <EmptyState
                title="No recordings in this range"
                actions={
                  wider && (
                    <Button kind="primary" onClick={() => setRange(wider)}>
                      Widen range
                    </Button>
                  )
                }
              >
                Recordings appear after a session ends and is uploaded.
              </EmptyState>
            )
          }
        />
      )}
      {count > 0 && (
        <NumberedPager
          text={`${(page * pageSize + 1).toLocaleString('en')}–${Math.min(count, (page + 1) * pageSize).toLocaleString('en')} of ${count.toLocaleString('en')}`}
          page={page}
          pageCount={list.pageCount}
          onPage={(next) => setAddress({ page: next === 0 ? undefined : String(next + 1) })}
        >
          <OlderNote pages={pages} zone={zone} action="Fetch more" />
        </NumberedPager>
      )}
    </>
  )
}
