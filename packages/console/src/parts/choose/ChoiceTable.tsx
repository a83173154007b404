import { useMemo, useState } from 'react'
import { ListError } from '../list/ListError.tsx'
import { wordsIn } from '../list/words-in.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { NumberedPager } from '../../ui/NumberedPager.tsx'
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
const textOf = ({ texts }: ChoiceRow): string => texts.join(' ')

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
export function ChoiceTable({ columns, rows, things, label, nothing, rule, search, query }: ChoiceTableProps) {
  const [sort, setSort] = useState<Sort>({ id: columns[0]?.id ?? '', desc: false })
  const [at, setAt] = useState({ search, page: 0 })
  const keep = useMemo(() => wordsIn(search, textOf), [search])
  const page = { index: at.search === search ? at.page : 0, size: pageSize }
  const list = useListTable({ columns, rows, rowKey, sort, page, keep })
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
      <NumberedPager list={list} onPage={(next) => setAt({ search, page: next })} />
    </>
  )
}
