import { RefreshCw } from 'lucide-react'
import { useCallback, useMemo } from 'react'
import { useDraft } from '../../parts/list/use-draft.ts'
import { ListError } from '../../parts/list/ListError.tsx'
import { hasWords, joinWords, splitWords, toggleWords } from '../../parts/list/search-words.ts'
import { useClusterId } from '../../parts/use-route.ts'
import { useSearchState } from '../../parts/use-search.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { FilterChip, FilterChips } from '../../ui/FilterChip.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import type { Label } from '../../ui/label-order.ts'
import { PageHead, Toolbar } from '../../ui/PageHead.tsx'
import { KeysetPager } from '../../ui/Pager.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { Table } from '../../ui/Table.tsx'
import { useListTable } from '../../ui/use-list-table.ts'
import { serverColumns } from './columns.tsx'
import type { ServerRow } from './columns.tsx'
import { QuickConnect } from './QuickConnect.tsx'
import { formatSort, pageSizes, parsePageSize, parseSort, serverSearch, sortField } from './server-search.ts'
import { useServers } from './use-servers.ts'

const labelWords = (label: Label): string[] => [label.name, label.value].filter((word) => word !== '')
const rowKey = ({ node }: ServerRow): string => `${node.clusterId}/${node.id}`
const hints = [
  ['j k', 'move'],
  ['↵', 'connect'],
  ['m', 'menu'],
] as const

/** The SSH servers of a cluster that the viewer may see. */
export function Servers() {
  const clusterId = useClusterId()
  const [address, setAddress] = useSearchState(serverSearch)
  const search = address.search ?? ''
  const sort = parseSort(address.sort)
  const size = parsePageSize(address.pageSize)
  const servers = useServers({ clusterId, search, sort: formatSort(sort), size })
  const { query } = servers

  const setSearch = useCallback(
    (text: string, options?: { replace: boolean }) => setAddress({ search: text || undefined }, options),
    [setAddress],
  )
  const draft = useDraft(search, setSearch)
  const words = useMemo(() => splitWords(search), [search])
  const setWords = useCallback((next: string[]) => setSearch(joinWords(next)), [setSearch])
  const rows = useMemo(() => {
    const isOn = (label: Label) => words.length > 0 && hasWords(words, labelWords(label))
    const onLabel = (label: Label) => setWords(toggleWords(words, labelWords(label)))
    return servers.nodes?.map((node) => ({ node, isOn, onLabel }))
  }, [servers.nodes, words, setWords])
  const list = useListTable({ columns: serverColumns, rows, rowKey, sort })

  const chips = words.map((word) => <FilterChip key={word} value={word} onRemove={() => setWords(words.filter((one) => one !== word))} />)
  const clear = (
    <Button kind="quiet" size={24} onClick={() => setSearch('')}>
      Clear filters
    </Button>
  )
  const total = servers.total
  return (
    <>
      <PageHead title="Servers" count={search === '' && total ? total : undefined}>
        <QuickConnect clusterId={clusterId} />
      </PageHead>
      <Toolbar>
        <SearchField label="Search servers" value={draft.text} onValue={draft.change} onSubmit={draft.submit} />
        <IconButton
          icon={RefreshCw}
          label="Refresh"
          busy={query.isRefetching && !query.isPlaceholderData}
          onClick={() => void query.refetch()}
        />
      </Toolbar>
      {words.length > 0 && (
        <FilterChips end={total === undefined ? undefined : `${total.toLocaleString('en')} ${total === 1 ? 'matches' : 'match'}`}>
          {chips}
          {clear}
        </FilterChips>
      )}
      {query.error && <ListError error={query.error} things="servers" rule="node: list" onRetry={() => void query.refetch()} />}
      {(rows || !query.error) && (
        <>
          <Table
            list={list}
            label="Servers"
            skeletonRows={size}
            refetching={query.isPlaceholderData}
            onSort={(next) => setAddress({ sort: sortField(next) })}
            empty={
              words.length > 0 ? (
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
                  No server has all of these words in its name, address or labels.
                </EmptyState>
              ) : (
                <EmptyState title="No servers here">Either “{clusterId}” has none or your roles do not let you see them.</EmptyState>
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
        </>
      )}
    </>
  )
}
