import { useMemo, useState } from 'react'
import { ListError } from '../../parts/list/ListError.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { NumberedPager } from '../../ui/Pager.tsx'
import { Table } from '../../ui/Table.tsx'
import { rowPrimary } from '../../ui/use-list-keys.ts'
import { useListTable } from '../../ui/use-list-table.ts'
import type { Column, Sort } from '../../ui/use-list-table.ts'
import { useChoices } from './choices.ts'
import { keyOf } from './lock-kinds.ts'
import type { Choice } from './lock-kinds.ts'

const pageSize = 10

/** Something that can be locked: its texts stand under the headers of the list, the first one is its name. */
export interface TargetRow {
  choice: Choice
  texts: readonly string[]
}
const rowKey = ({ choice }: TargetRow): string => keyOf(choice)

function Toggle({ choice }: { choice: Choice }) {
  const { isChosen, onToggle } = useChoices()
  const isIn = isChosen(choice)
  return (
    <Button
      {...rowPrimary}
      size={24}
      kind={isIn ? 'danger-quiet' : 'secondary'}
      aria-label={`${isIn ? 'Remove' : 'Add'} ${choice.name}`}
      onClick={() => onToggle(choice)}
    >
      {isIn ? 'Remove' : 'Add'}
    </Button>
  )
}

/** The columns of a list of targets; made once, at module scope. */
export const targetColumns = (headers: readonly string[]): readonly Column<TargetRow>[] => [
  ...headers.map((header, index): Column<TargetRow> => ({
    id: header,
    header,
    phone: index === 0 ? 'title' : 'line',
    sort: ({ texts }) => texts[index] ?? '',
    cell: ({ texts }) => (
      <span className="trunc" title={texts[index]}>
        {texts[index]}
      </span>
    ),
  })),
  {
    id: 'actions',
    header: 'Actions',
    width: '96px',
    kind: 'actions',
    phone: 'corner',
    skeleton: '56px',
    cell: ({ choice }) => <Toggle choice={choice} />,
  },
]

export interface TargetTableProps {
  columns: readonly Column<TargetRow>[]
  /** Undefined until the first answer. */
  rows: readonly TargetRow[] | undefined
  things: string
  rule: string
  search: string
  query: { error: Error | null; refetch: () => unknown }
}

/** What of one kind can be locked, ten at a time. */
export function TargetTable({ columns, rows: all, things, rule, search, query }: TargetTableProps) {
  const [sort, setSort] = useState<Sort>({ id: columns[0]?.id ?? '', desc: false })
  const [at, setAt] = useState({ search, page: 0 })
  const rows = useMemo(() => {
    const words = search.toLowerCase().split(/\s+/).filter(Boolean)
    return all?.filter(({ texts }) => words.every((word) => texts.join(' ').toLowerCase().includes(word)))
  }, [all, search])
  const count = rows?.length ?? 0
  const page = at.search === search ? Math.min(at.page, Math.max(0, Math.ceil(count / pageSize) - 1)) : 0
  const list = useListTable({ columns, rows, rowKey, sort, page: { index: page, size: pageSize } })
  if (query.error && !rows) return <ListError error={query.error} things={things} rule={rule} onRetry={() => void query.refetch()} />
  return (
    <>
      <Table
        list={list}
        label={`Targets: ${things}`}
        onSort={setSort}
        empty={
          <EmptyState plain title={search === '' ? `No ${things} here` : 'Nothing matches'}>
            {search === '' ? 'There is nothing of this kind to lock.' : `None of the ${things} has all of these words.`}
          </EmptyState>
        }
      />
      {count > 0 && (
        <NumberedPager
          text={`${page * pageSize + 1}–${Math.min(count, (page + 1) * pageSize)} of ${count.toLocaleString('en')}`}
          page={page}
          pageCount={list.pageCount}
          onPage={(next) => setAt({ search, page: next })}
        />
      )}
    </>
  )
}
