import { RefreshCw } from 'lucide-react'
import { useMemo } from 'react'
import * as z from 'zod/mini'
import { ListError } from '../../parts/list/ListError.tsx'
import { useDraft } from '../../parts/list/use-draft.ts'
import { useSearchState } from '../../parts/use-search.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { pageText } from '../../ui/page-numbers.ts'
import { PageHead, Toolbar } from '../../ui/PageHead.tsx'
import { NumberedPager } from '../../ui/Pager.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { Table } from '../../ui/Table.tsx'
import { useListTable } from '../../ui/use-list-table.ts'
import { sessionColumns } from './session-columns.tsx'
import { matchesWords, type SessionRow } from './session-row.ts'
import { useSessions } from './use-sessions.ts'

const pageSize = 100
const search = z.object({
  q: z.optional(z.string()),
  sort: z.optional(z.string().check(z.regex(/^(name|users|login|state|created):(asc|desc)$/))),
  page: z.optional(z.string().check(z.regex(/^[1-9]\d{0,4}$/))),
})
const rowKey = ({ sid }: SessionRow): string => sid

/** What runs at this moment, and who is in it. */
export function Sessions() {
  const { query, rows: all } = useSessions()
  const [address, setAddress] = useSearchState(search)
  const { q = '' } = address
  const draft = useDraft(q, (text, options) => setAddress({ q: text || undefined, page: undefined }, options), 200)
  const rows = useMemo(() => {
    const words = q.toLowerCase().split(/\s+/).filter(Boolean)
    return all?.filter((row) => matchesWords(row, words))
  }, [all, q])
  const count = rows?.length ?? 0
  const page = Math.min(Number(address.page ?? 1) - 1, Math.max(0, Math.ceil(count / pageSize) - 1))
  // The newest first: those that have run for the shortest time.
  const [id = 'created', direction = 'asc'] = address.sort?.split(':') ?? []
  const list = useListTable({
    columns: sessionColumns,
    rows,
    rowKey,
    sort: { id, desc: direction === 'desc' },
    page: { index: page, size: pageSize },
  })
  const refetch = () => void query.refetch()
  return (
    <>
      <PageHead title="Active sessions" count={count || undefined} />
      <Toolbar>
        <SearchField label="Search sessions" value={draft.text} onValue={draft.change} onSubmit={draft.submit} />
        <IconButton icon={RefreshCw} label="Refresh" onClick={refetch} />
      </Toolbar>
      {query.error && <ListError error={query.error} things="active sessions" rule="ssh_session: list" onRetry={refetch} />}
      {(rows || !query.error) && (
        <Table
          list={list}
          label="Active sessions"
          onSort={(next) => setAddress({ sort: `${next.id}:${next.desc ? 'desc' : 'asc'}`, page: undefined })}
          empty={
            q ? (
              <EmptyState plain title="Nothing matches" actions={<Button onClick={() => draft.submit('')}>Clear search</Button>}>
                No session that runs now has “{q}” in its name, users or address.
              </EmptyState>
            ) : (
              <EmptyState title="No one is connected">Sessions appear here the moment they start.</EmptyState>
            )
          }
        />
      )}
      {count > pageSize && (
        <NumberedPager
          text={pageText(page, pageSize, count)}
          page={page}
          pageCount={list.pageCount}
          onPage={(next) => setAddress({ page: next === 0 ? undefined : String(next + 1) })}
        />
      )}
    </>
  )
}
