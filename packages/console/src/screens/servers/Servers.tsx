import { RefreshCw } from 'lucide-react'
import { useCallback, useMemo, useState } from 'react'
import type { Node } from '@sallyport/wire/entities/node.ts'
import { EnrollButton } from '../../parts/EnrollButton.tsx'
import { queryWords } from '../../parts/expression/query-words.ts'
import { ListError } from '../../parts/list/ListError.tsx'
import { ListSearch } from '../../parts/list/ListSearch.tsx'
import type { Filter } from '../../parts/list/ListSearch.tsx'
import { clausesOf, hasClause, joinClauses, labelClause, queryOfWords, toggleClause } from '../../parts/list/query-clauses.ts'
import { joinWords, splitWords } from '../../parts/list/search-words.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { useClusterId } from '../../parts/use-route.ts'
import { useSearchState } from '../../parts/use-search.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { FilterChip, FilterChips } from '../../ui/FilterChip.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { visibleLabels } from '../../ui/label-order.ts'
import type { Label } from '../../ui/label-order.ts'
import { PageHead, Toolbar } from '../../ui/PageHead.tsx'
import { KeysetPager } from '../../ui/Pager.tsx'
import { Table } from '../../ui/Table.tsx'
import { useListTable } from '../../ui/use-list-table.ts'
import { serverColumns } from './columns.tsx'
import type { ServerRow } from './columns.tsx'
import { MarkContext, markKey } from './marks.tsx'
import { OpenBar } from './OpenBar.tsx'
import { QuickConnect } from './QuickConnect.tsx'
import { formatSort, pageSizes, parsePageSize, parseSort, serverSearch, sortField } from './server-search.ts'
import { useServers } from './use-servers.ts'

const rowKey = ({ node }: ServerRow): string => markKey(node)
const hints = [
  ['j k', 'move'],
  ['↵', 'connect'],
  ['m', 'menu'],
] as const

/** The SSH servers of a cluster that the viewer may see. */
export function Servers() {
  const clusterId = useClusterId()
  const [address, setAddress] = useSearchState(serverSearch)
  const query = address.query ?? ''
  const search = query === '' ? (address.search ?? '') : ''
  const sort = parseSort(address.sort)
  const size = parsePageSize(address.pageSize)
  const servers = useServers({ clusterId, search, query, sort: formatSort(sort), size })

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
    return servers.nodes?.map((node) => ({ node, isOn, onLabel }))
  }, [servers.nodes, search, query, setFilter])
  const words = useMemo(() => queryWords(servers.nodes?.map((node) => visibleLabels(node.labels)) ?? []), [servers.nodes])
  const [marked, setMarked] = useState<ReadonlyMap<string, Node>>(new Map())
  const mark = (nodes: readonly Node[], on: boolean) =>
    setMarked((before) => {
      const next = new Map(before)
      for (const node of nodes)
        if (on) next.set(markKey(node), node)
        else next.delete(markKey(node))
      return next
    })
  const list = useListTable({ columns: serverColumns, rows, rowKey, sort })

  const chips = clauses.map((clause) => (
    <FilterChip key={clause} value={clause} onRemove={() => setClauses(clauses.filter((one) => one !== clause))} />
  ))
  const clear = (
    <Button kind="quiet" size={24} onClick={() => setFilter({ search: '', query: '' })}>
      Clear filters
    </Button>
  )
  const { total, refused } = servers
  const state = servers.query
  return (
    <>
      <PageHead title="Servers" count={clauses.length === 0 && total ? total : undefined}>
        <QuickConnect clusterId={clusterId} />
        <EnrollButton kind="server" label="Enroll server" />
      </PageHead>
      <Toolbar>
        <ListSearch label="Search servers" search={search} query={query} words={words} error={refused} onFilter={setFilter} />
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
      {marked.size > 0 && (
        <OpenBar
          marked={[...marked.values()]}
          inSight={rows?.length ?? 0}
          onMarkAll={() => mark(servers.nodes ?? [], true)}
          onClear={() => setMarked(new Map())}
        />
      )}
      {state.error && refused === undefined && (
        <ListError error={state.error} things="servers" rule="node: list" onRetry={() => void state.refetch()} />
      )}
      {(rows || !state.error) && (
        <MarkContext value={{ has: (node) => marked.has(markKey(node)), set: (node, on) => mark([node], on) }}>
          <Table
            list={list}
            label="Servers"
            skeletonRows={size}
            refetching={state.isPlaceholderData || refused !== undefined}
            onSort={(next) => setAddress({ sort: sortField(next) })}
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
                  {query === ''
                    ? 'No server has all of these words in its name, address or labels.'
                    : 'No server meets all of these conditions.'}
                </EmptyState>
              ) : (
                <NoServers clusterId={clusterId} />
              )
            }
          />
          {rows !== undefined && rows.length > 0 && (
            <KeysetPager
              from={servers.from}
              count={rows.length}
              total={total}
              size={size}
              sizes={pageSizes}
              onSize={(next) => setAddress({ pageSize: next === pageSizes[0] ? undefined : String(next) })}
              onPrevious={servers.onPrevious}
              onNext={servers.onNext}
              hints={hints}
            />
          )}
        </MarkContext>
      )}
    </>
  )
}

/** Nothing is filtered, and nothing is there. */
function NoServers({ clusterId }: { clusterId: string }) {
  const { acl, cluster } = useUserContext()
  if (!acl.tokens.create || clusterId !== cluster.clusterId)
    return <EmptyState title="No servers here">Either “{clusterId}” has none or your roles do not let you see them.</EmptyState>
  return (
    <EmptyState title="Add your first server" actions={<EnrollButton kind="server" label="Enroll server" primary />}>
      Reach Linux machines over SSH with short-lived certificates and recordings.
    </EmptyState>
  )
}
