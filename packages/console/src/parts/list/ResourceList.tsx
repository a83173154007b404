import { RefreshCw } from 'lucide-react'
import { useCallback, useMemo } from 'react'
import type { ReactNode } from 'react'
import { featureRules } from '@sallyport/wire/routes.ts'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { FilterChip, FilterChips } from '../../ui/FilterChip.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { visibleLabels } from '../../ui/label-order.ts'
import { config } from '../../api/page.ts'
import type { Label } from '../../ui/label-order.ts'
import { PageHead, Toolbar } from '../../ui/PageHead.tsx'
import { KeysetPager } from '../../ui/Pager.tsx'
import { Table } from '../../ui/Table.tsx'
import { useListTable } from '../../ui/use-list-table.ts'
import type { Column } from '../../ui/use-list-table.ts'
import { queryWords } from '../expression/query-words.ts'
import { useClusterId } from '../use-route.ts'
import { useSearchState } from '../use-search.ts'
import { useUserContext } from '../user-context.tsx'
import { formatSort, listAddress, pageSizes, parsePageSize, parseSort, sortField } from './list-address.ts'
import type { ListOrder } from './list-address.ts'
import { ListError } from './ListError.tsx'
import { ListSearch } from './ListSearch.tsx'
import type { Filter } from './ListSearch.tsx'
import { clausesOf, hasClause, joinClauses, labelClause, queryOfWords, toggleClause } from './query-clauses.ts'
import { joinWords, splitWords } from './search-words.ts'
import { useListPages } from './use-list-pages.ts'
import type { ListCall } from './use-list-pages.ts'

/** A resource with what its row needs to know about the filter. */
export interface ResourceRow<Item> {
  readonly item: Item
  readonly isOn: (label: Label) => boolean
  readonly onLabel: (label: Label) => void
}

/** A kind of resources as its list shows it; the same object at all times. */
export interface ResourceKindList<Wire, Item> {
  readonly call: ListCall<Wire>
  readonly title: string
  readonly one: string
  readonly many: string
  /** What the role needs, such as `node: list`. */
  readonly rule: string
  /** What search looks at, in words: `name, address or labels`. */
  readonly searched: string
  readonly order: ListOrder
  readonly columns: readonly Column<ResourceRow<Item>>[]
  readonly hints: readonly (readonly [string, string])[]
  /** In the cluster that was asked, which not every proxy repeats. */
  toItem(wire: Wire, clusterId: string): Item
  keyOf(item: Item): string
  labelsOf(item: Item): Label[]
}

export interface ResourceListProps<Wire, Item> {
  kind: ResourceKindList<Wire, Item>
  /** Stand in the head of the page. */
  actions?: ReactNode
  /** Nothing is filtered, and nothing is there. */
  nothing: ReactNode
  /** Stands between the filter and the table; told what is in sight. */
  renderAbove?: (inSight: readonly Item[]) => ReactNode
}

/** Everything of one kind in a cluster that the viewer may see: search, conditions, order and page stand in the address. */
export function ResourceList<Wire, Item>({ kind, actions, nothing, renderAbove }: ResourceListProps<Wire, Item>) {
  const { call, title, one, many, rule, searched, order, columns, hints, toItem, keyOf, labelsOf } = kind
  const clusterId = useClusterId()
  const [address, setAddress] = useSearchState(useMemo(() => listAddress(order), [order]))
  const query = address.query ?? ''
  const search = query === '' ? (address.search ?? '') : ''
  const sort = parseSort(address.sort, order)
  const size = parsePageSize(address.pageSize)
  const { acl } = useUserContext()
  // Each row says by itself that it may only be asked for. What other clusters have cannot be asked for here.
  const mayAsk = featureRules.newAccessRequest(acl) && clusterId === config.proxyCluster
  const requestable = mayAsk && address.requestable === 'yes'
  const pages = useListPages(call, { clusterId, search, query, sort: formatSort(sort), size, requestable })
  const items = useMemo(() => pages.items?.map((wire) => toItem(wire, clusterId)), [pages.items, toItem, clusterId])

  const setFilter = useCallback(
    (next: Filter) => setAddress({ search: next.search || undefined, query: next.query || undefined }),
    [setAddress],
  )
  const clauses = useMemo(() => (query === '' ? splitWords(search) : clausesOf(query)), [search, query])
  const setClauses = (next: string[]) =>
    setFilter(query === '' ? { search: joinWords(next), query: '' } : { search: '', query: joinClauses(next) })
  const rows = useMemo(() => {
    const clauseOf = (label: Label) => labelClause(label.name, label.value)
    const isOn = (label: Label) => hasClause(query, clauseOf(label))
    const onLabel = (label: Label) =>
      setFilter({ search: '', query: toggleClause(query === '' ? queryOfWords(search) : query, clauseOf(label)) })
    return items?.map((item) => ({ item, isOn, onLabel }))
  }, [items, search, query, setFilter])
  const words = useMemo(() => queryWords(items?.map((item) => visibleLabels(labelsOf(item))) ?? []), [items, labelsOf])
  const rowKey = useCallback(({ item }: ResourceRow<Item>) => keyOf(item), [keyOf])
  const list = useListTable({ columns, rows, rowKey, sort })

  const chips = clauses.map((clause) => (
    <FilterChip key={clause} value={clause} onRemove={() => setClauses(clauses.filter((other) => other !== clause))} />
  ))
  const clear = (
    <Button kind="quiet" size={24} onClick={() => setFilter({ search: '', query: '' })}>
      Clear filters
    </Button>
  )
  const { total, refused, query: state } = pages
  return (
    <>
      <PageHead title={title} count={clauses.length === 0 && total ? total : undefined}>
        {actions}
      </PageHead>
      <Toolbar>
        <ListSearch label={`Search ${many}`} search={search} query={query} words={words} error={refused} onFilter={setFilter} />
        {mayAsk && (
          <Checkbox
            label="Also what I can request"
            checked={requestable}
            onChange={(event) => setAddress({ requestable: event.target.checked ? 'yes' : undefined })}
          />
        )}
        <IconButton
          icon={RefreshCw}
          label="Refresh"
          busy={state.isRefetching && !state.isPlaceholderData}
          onClick={() => void state.refetch()}
        />
      </Toolbar>
      {clauses.length > 0 && (
        <FilterChips end={total === undefined ? undefined : `${total.toLocaleString('en')} ${total === 1 ? 'matches' : 'match'}`}>
          {chips}
          {clear}
        </FilterChips>
      )}
      {renderAbove?.(items ?? [])}
      {state.error && refused === undefined && (
        <ListError error={state.error} things={many} rule={rule} onRetry={() => void state.refetch()} />
      )}
      {(rows || !state.error) && (
        <>
          <Table
            list={list}
            label={title}
            skeletonRows={size}
            refetching={state.isPlaceholderData || refused !== undefined}
            onSort={(next) => setAddress({ sort: sortField(next, order) })}
            empty={
              clauses.length > 0 ? (
                <EmptyState
                  plain
                  title="Nothing matches"
                  actions={
                    <>
                      {chips}
                      {clear}
                    </>
                  }
                >
                  {query === '' ? `No ${one} has all of these words in its ${searched}.` : `No ${one} meets all of these conditions.`}
                </EmptyState>
              ) : (
                nothing
              )
            }
          />
          {rows !== undefined && rows.length > 0 && (
            <KeysetPager
              from={pages.from}
              count={rows.length}
              total={total}
              size={size}
              sizes={pageSizes}
              onSize={(next) => setAddress({ pageSize: next === pageSizes[0] ? undefined : String(next) })}
              onPrevious={pages.onPrevious}
              onNext={pages.onNext}
              hints={hints}
            />
          )}
        </>
      )}
    </>
  )
}
