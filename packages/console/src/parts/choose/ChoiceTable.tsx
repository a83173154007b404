import { useMemo, useState } from 'react'
import { ListError } from '../list/ListError.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { pageText } from '../../ui/page-numbers.ts'
import { NumberedPager } from '../../ui/Pager.tsx'
import { Table } from '../../ui/Table.tsx'
import { rowPrimary } from '../../ui/use-list-keys.ts'
import { useListTable } from '../../ui/use-list-table.ts'
import type { Column, Sort } from '../../ui/use-list-table.ts'
import { keyOf, useChoices } from './choices.ts'
import type { Choice } from './choices.ts'

const pageSize = 10

/** Something that can be chosen: its texts stand under the headers of the list, the first one is its name. */
export interface ChoiceRow {
  choice: Choice
  texts: readonly string[]
}
const rowKey = ({ choice }: ChoiceRow): string => keyOf(choice)

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

/** The columns of a list of things to choose; made once, at module scope. */
export const choiceColumns = (headers: readonly string[]): readonly Column<ChoiceRow>[] => [
  ...headers.map((header, index): Column<ChoiceRow> => ({
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

export interface ChoiceTableProps {
  columns: readonly Column<ChoiceRow>[]
  /** Undefined until the first answer. */
  rows: readonly ChoiceRow[] | undefined
  things: string
  /** What the list is called: "Targets". */
  label: string
  /** Said where there is nothing of the kind. */
  nothing: string
  rule: string
  search: string
  query: { error: Error | null; refetch: () => unknown }
}

/** What of one kind can be chosen, ten at a time. */
export function ChoiceTable({ columns, rows: all, things, label, nothing, rule, search, query }: ChoiceTableProps) {
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
        label={`${label}: ${things}`}
        onSort={setSort}
        empty={
          <EmptyState plain title={search === '' ? `No ${things} here` : 'Nothing matches'}>
            {search === '' ? nothing : `None of the ${things} has all of these words.`}
          </EmptyState>
        }
      />
      {count > 0 && (
        <NumberedPager
          text={pageText(page, pageSize, count)}
          page={page}
          pageCount={list.pageCount}
          onPage={(next) => setAt({ search, page: next })}
        />
      )}
    </>
  )
}
