import { useMemo } from 'react'
import { config } from '../../api/page.ts'
import { ListError } from '../../parts/list/ListError.tsx'
import { OlderNote } from '../../parts/list/OlderNote.tsx'
import { useWholeList } from '../../parts/list/use-whole-list.ts'
import { widerRange } from '../../parts/range/range.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { NumberedPager } from '../../ui/NumberedPager.tsx'
import { Table } from '../../ui/Table.tsx'
import { recordingColumns } from './recording-columns.tsx'
import { recordingsList } from './recordings-view.ts'
import type { RecordingsView } from './recordings-view.ts'
import type { RecordingRows } from './use-recording-rows.ts'

const { dateTimeFormat } = config.loc

/** The recordings themselves, sorted and narrowed down by what their rows say. */
export function RecordingList({ view, found: { pages, rows } }: { view: RecordingsView; found: RecordingRows }) {
  const { clusterId, address, setAddress, zone, range, setRange, draft, q } = view
  const columns = useMemo(() => recordingColumns({ clusterId, zone, dateTimeFormat }), [clusterId, zone])
  const list = useWholeList(recordingsList, { columns, rows, address, setAddress })
  const wider = widerRange(range)
  const refetch = () => void pages.query.refetch()
  return (
    <>
      {pages.query.error && <ListError error={pages.query.error} things="session recordings" rule="session: list" onRetry={refetch} />}
      {(rows || !pages.query.error) && (
        <Table
          list={list.table}
          label="Session recordings"
          refetching={pages.query.isPlaceholderData}
          onSort={list.onSort}
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
      <NumberedPager list={list.table} onPage={list.onPage}>
        <OlderNote pages={pages} zone={zone} action="Fetch more" />
      </NumberedPager>
    </>
  )
}
