import { useMemo } from 'react'
import { config } from '../../api/page.ts'
import { isNotFound } from '../../parts/not-found.ts'
import { ListError } from '../../parts/list/ListError.tsx'
import { widerRange } from '../../parts/range/range.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Table } from '../../ui/Table.tsx'
import { useListTable } from '../../ui/use-list-table.ts'
import { hitColumns, type Hit } from './hit-columns.tsx'
import type { RecordingsView } from './recordings-view.ts'
import type { OutputFindings } from './use-output-hits.ts'

const { dateTimeFormat } = config.loc
const hitKey = ({ key }: Hit): string => key

/** Lines that were on the screens of sessions; each opens the player at its moment. */
export function OutputHits({ view, found: { pages, hits } }: { view: RecordingsView; found: OutputFindings }) {
  const { clusterId, zone, range, setRange, q, draft } = view
  const columns = useMemo(() => hitColumns({ clusterId, zone, dateTimeFormat, q }), [clusterId, zone, q])
  const list = useListTable({ columns, rows: hits, rowKey: hitKey, sort: undefined })
  const refetch = () => void pages.refetch()
  const wider = widerRange(range)
  const error = q === '' ? null : pages.error
  const isAbsent = isNotFound(error)
  return (
    <>
      {isAbsent && (
        <EmptyState plain title="This proxy cannot search recorded screens">
          Open a recording and search in its output.
        </EmptyState>
      )}
      {error && !isAbsent && <ListError error={error} things="recorded screens" rule="session: list, read" onRetry={refetch} />}
      {(hits || !error) && (
        <Table
          list={list}
          label="Moments"
          refetching={pages.isPlaceholderData}
          empty={
            q === '' ? (
              <EmptyState plain title="What was on the screen?">
                Type words as they appeared, such as a command, a file name or an error, to find who saw them and when.
              </EmptyState>
            ) : (
              <EmptyState
                plain
                title="Nothing matches"
                actions={
                  <>
                    {wider && <Button onClick={() => setRange(wider)}>Widen range</Button>}
                    <Button onClick={() => draft.submit('')}>Clear search</Button>
                  </>
                }
              >
                No screen of the sessions in this range that you may watch showed “{q}”.
              </EmptyState>
            )
          }
        />
      )}
      {pages.hasNextPage && q !== '' && (
        <p style={{ textAlign: 'center' }}>
          <Button kind="quiet" busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
            Show more
          </Button>
        </p>
      )}
    </>
  )
}
