import { useMemo } from 'react'
import type { Recording } from '@sallyport/wire/entities/recording.ts'
import { config } from '../../api/page.ts'
import { ListError } from '../../parts/list/ListError.tsx'
import { OlderNote } from '../../parts/list/OlderNote.tsx'
import { widerRange } from '../../parts/range/range.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { pageText } from '../../ui/page-numbers.ts'
import { NumberedPager } from '../../ui/Pager.tsx'
import { Table } from '../../ui/Table.tsx'
import { useListTable } from '../../ui/use-list-table.ts'
import { recordingColumns } from './recording-columns.tsx'
import type { RecordingsView } from './recordings-view.ts'
import type { RecordingRows } from './use-recording-rows.ts'

const pageSize = 50
const rowKey = (recording: Recording): string => recording.sid
const { dateTimeFormat } = config.loc

/** The recordings themselves, sorted and narrowed down by what their rows say. */
export function RecordingList({ view, found: { pages, rows } }: { view: RecordingsView; found: RecordingRows }) {
  const { clusterId, address, setAddress, zone, range, setRange, draft, q } = view
  const columns = useMemo(() => recordingColumns({ clusterId, zone, dateTimeFormat }), [clusterId, zone])
  const [id = 'created', direction = 'desc'] = address.sort?.split(':') ?? []
  const count = rows?.length ?? 0
  const page = Math.min(Number(address.page ?? 1) - 1, Math.max(0, Math.ceil(count / pageSize) - 1))
  const list = useListTable({ columns, rows, rowKey, sort: { id, desc: direction === 'desc' }, page: { index: page, size: pageSize } })
  const wider = widerRange(range)
  const refetch = () => void pages.query.refetch()
  return (
    <>
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
          text={pageText(page, pageSize, count)}
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
