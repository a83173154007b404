import { Plus, RefreshCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { NumberedPager } from '../../ui/NumberedPager.tsx'
import { PageHead, Toolbar } from '../../ui/PageHead.tsx'
import type { PagerFrameProps } from '../../ui/Pager.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { Table } from '../../ui/Table.tsx'
import type { TableProps } from '../../ui/Table.tsx'
import { ListError } from './ListError.tsx'
import type { WholeList as List } from './use-whole-list.ts'

export interface WholeListTexts {
  readonly title: string
  /** Of the table, where it is not the title. */
  readonly label?: string
  readonly one: string
  readonly many: string
  /** What the role needs, such as `device: list`. */
  readonly rule: string
  readonly hints?: PagerFrameProps['hints']
  /** Said of a search that finds nothing. */
  whyNone?(words: string): string
}

export interface WholeListProps<Row> extends Pick<TableProps<Row>, 'look' | 'onOpen'> {
  list: List<Row>
  texts: WholeListTexts
  query: { error: Error | null; isRefetching?: boolean; refetch: () => unknown }
  /** In place of what is usually said when the list cannot be loaded. */
  problem?: ReactNode
  /** The one thing that can be made here, from the head and from the empty list. */
  add?: { label: string; whyNot: string | undefined; run: () => void }
  /** Stand in the head of the page, before that. */
  actions?: ReactNode
  /** Stand behind the search. */
  tools?: ReactNode
  /** More than words narrows the list: what takes everything back, and what stands in place of the usual words. */
  filter?: { clear: () => void; none?: ReactNode } | undefined
  /** Stands between the filter and the table. */
  above?: ReactNode
  /** Nothing is filtered, and nothing is there. */
  nothing?: { title: string; text: string; actions?: ReactNode }
}

/** A list that is all here: head, search, table and pages. */
export function WholeList<Row>(props: WholeListProps<Row>) {
  const { list, texts, query, problem, add, actions, tools, filter, above, nothing, look, onOpen } = props
  const { q, draft, table } = list
  const { title, label = title, one, many, rule, hints, whyNone } = texts
  const isFiltered = q !== '' || filter !== undefined
  const count = table.sorted.length
  const isEmpty = table.loaded && count === 0 && !isFiltered
  const refetch = () => void query.refetch()
  const adder = (kind: 'primary' | 'secondary') =>
    add && (
      <Button kind={kind} icon={Plus} disabledReason={add.whyNot} onClick={add.run}>
        {add.label}
      </Button>
    )
  const mayAdd = add !== undefined && add.whyNot === undefined
  return (
    <>
      <PageHead title={title} count={isFiltered || count === 0 ? undefined : count}>
        {actions}
        {adder(isEmpty && mayAdd ? 'secondary' : 'primary')}
      </PageHead>
      <Toolbar>
        <SearchField label={`Search ${many}`} value={draft.text} onValue={draft.change} onSubmit={draft.submit} />
        {tools}
        <IconButton icon={RefreshCw} label="Refresh" busy={query.isRefetching ?? false} onClick={refetch} />
      </Toolbar>
      {problem || (query.error && <ListError error={query.error} things={label.toLowerCase()} rule={rule} onRetry={refetch} />)}
      {above}
      {(table.loaded || !query.error) && (
        <Table
          list={table}
          label={label}
          onSort={list.onSort}
          {...(look && { look })}
          {...(onOpen && { onOpen })}
          empty={
            isFiltered
              ? filter?.none || (
                  <EmptyState
                    plain
                    title="Nothing matches"
                    actions={
                      filter ? (
                        <Button onClick={filter.clear}>Clear filters</Button>
                      ) : (
                        <Button onClick={() => draft.submit('')}>Clear search</Button>
                      )
                    }
                  >
                    {whyNone?.(q) ?? `No ${one} is like that.`}
                  </EmptyState>
                )
              : nothing && (
                  <EmptyState title={nothing.title} actions={nothing.actions ?? (mayAdd && adder('primary'))}>
                    {nothing.text}
                  </EmptyState>
                )
          }
        />
      )}
      <NumberedPager list={table} onPage={list.onPage} {...(hints && { hints })} />
    </>
  )
}
