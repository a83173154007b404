import { RefreshCw } from 'lucide-react'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import * as z from 'zod/mini'
import { clusters } from '@sallyport/wire/calls/clusters.ts'
import { toCluster } from '@sallyport/wire/entities/cluster.ts'
import type { Cluster } from '@sallyport/wire/entities/cluster.ts'
import { routePath } from '@sallyport/wire/routes.ts'
import { config } from '../../api/page.ts'
import { callQuery } from '../../api/queries.ts'
import { ListError } from '../../parts/list/ListError.tsx'
import { useDraft } from '../../parts/list/use-draft.ts'
import { pushPath } from '../../parts/navigation.ts'
import { useRouteParams } from '../../parts/use-route.ts'
import { useSearchState } from '../../parts/use-search.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { Button } from '../../ui/Button.tsx'
import { formatDate } from '../../ui/dates.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { pageText } from '../../ui/page-numbers.ts'
import { PageHead, Toolbar } from '../../ui/PageHead.tsx'
import { NumberedPager } from '../../ui/Pager.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { Table } from '../../ui/Table.tsx'
import { useListTable } from '../../ui/use-list-table.ts'
import { clusterColumns } from './cluster-columns.tsx'
import type { ClusterRow } from './cluster-columns.tsx'
import { ClusterDetails } from './ClusterDetails.tsx'

const pageSize = 50
/** How often it is looked whether a cluster came or went. */
const every = 10_000
const search = z.object({
  q: z.optional(z.string()),
  sort: z.optional(z.string().check(z.regex(/^(name|status|version):(asc|desc)$/))),
  page: z.optional(z.string().check(z.regex(/^[1-9]\d{0,4}$/))),
})
const rowKey = ({ cluster }: ClusterRow): string => cluster.clusterId
const hints = [
  ['j k', 'move'],
  ['↵', 'details'],
  ['m', 'menu'],
] as const
const listPath = routePath('clusters')
const toName = (date: Date): string => formatDate(date, config.loc.dateTimeFormat)

/** This cluster and its leaves: whether each is there, what is in it, how it is reached. */
export function Clusters() {
  const { acl, cluster: own } = useUserContext()
  const [address, setAddress] = useSearchState(search)
  const { name: open } = useRouteParams('clusterDetails') as { name?: string }
  const query = useQuery({ ...callQuery(clusters), refetchInterval: every })
  const q = address.q ?? ''
  const draft = useDraft(q, (text, options) => setAddress({ q: text || undefined, page: undefined }, options), 200)
  const all = useMemo(
    () =>
      query.data?.map((wire): ClusterRow => {
        const cluster: Cluster = toCluster(wire, toName)
        return { cluster, isRoot: cluster.clusterId === own.clusterId, rootVersion: own.proxyVersion }
      }),
    [query.data, own],
  )
  const rows = useMemo(() => {
    const words = q.toLowerCase().split(/\s+/).filter(Boolean)
    return all?.filter(({ cluster }) =>
      words.every((word) => `${cluster.clusterId} ${cluster.publicURL} ${cluster.status}`.toLowerCase().includes(word)),
    )
  }, [all, q])
  const count = rows?.length ?? 0
  const page = Math.min(Number(address.page ?? 1) - 1, Math.max(0, Math.ceil(count / pageSize) - 1))
  const [id = 'name', direction = 'asc'] = address.sort?.split(':') ?? []
  const columns = useMemo(() => clusterColumns(acl), [acl])
  const leaves = useMemo(() => rows?.filter(({ isRoot }) => !isRoot), [rows])
  const sort = { id, desc: direction === 'desc' }
  const sorted = useListTable({ columns, rows: leaves, rowKey, sort, page: { index: page, size: pageSize } })
  // Whatever the order, the root is first.
  const roots = (page === 0 ? (rows ?? []) : []).filter(({ isRoot }) => isRoot)
  const list = {
    ...sorted,
    shown: [...roots.map((row) => ({ key: rowKey(row), row })), ...sorted.shown],
    sorted: [...roots, ...sorted.sorted],
  }
  const refetch = () => void query.refetch()
  const shown = all?.find(({ cluster }) => cluster.clusterId === open)
  return (
    <>
      <PageHead title="Manage clusters" count={q === '' && count > 0 ? count : undefined} />
      <Toolbar>
        <SearchField label="Search clusters" value={draft.text} onValue={draft.change} onSubmit={draft.submit} />
        <IconButton icon={RefreshCw} label="Refresh" busy={query.isRefetching} onClick={refetch} />
      </Toolbar>
      {query.error && <ListError error={query.error} things="clusters" rule="remote_cluster: list" onRetry={refetch} />}
      {(rows || !query.error) && (
        <Table
          list={list}
          label="Clusters"
          onSort={(sort) => setAddress({ sort: `${sort.id}:${sort.desc ? 'desc' : 'asc'}`, page: undefined })}
          empty={
            <EmptyState plain title="Nothing matches" actions={<Button onClick={() => draft.submit('')}>Clear search</Button>}>
              No cluster is like that.
            </EmptyState>
          }
        />
      )}
      {count > 0 && (
        <NumberedPager
          text={pageText(page, pageSize, count)}
          page={page}
          pageCount={list.pageCount}
          hints={hints}
          onPage={(next) => setAddress({ page: next === 0 ? undefined : String(next + 1) })}
        />
      )}
      {open !== undefined && all && <ClusterDetails name={open} row={shown} onClose={() => pushPath(listPath)} />}
    </>
  )
}
