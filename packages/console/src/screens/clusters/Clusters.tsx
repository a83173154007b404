import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import * as z from 'zod/mini'
import { clusters } from '@sallyport/wire/calls/clusters.ts'
import { toCluster } from '@sallyport/wire/entities/cluster.ts'
import type { Cluster } from '@sallyport/wire/entities/cluster.ts'
import { routePath } from '@sallyport/wire/routes.ts'
import { config } from '../../api/page.ts'
import { callQuery } from '../../api/queries.ts'
import { useWholeList, wholeListShape } from '../../parts/list/use-whole-list.ts'
import { WholeList } from '../../parts/list/WholeList.tsx'
import { pushPath } from '../../parts/navigation.ts'
import { useRouteParams } from '../../parts/use-route.ts'
import { useSearchState } from '../../parts/use-search.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { formatDate } from '../../ui/dates.ts'
import { clusterColumns } from './cluster-columns.tsx'
import type { ClusterRow } from './cluster-columns.tsx'
import { ClusterDetails } from './ClusterDetails.tsx'

/** How often it is looked whether a cluster came or went. */
const every = 10_000
const clustersList = {
  title: 'Manage clusters',
  label: 'Clusters',
  one: 'cluster',
  many: 'clusters',
  rule: 'remote_cluster: list',
  order: { fields: ['name', 'status', 'version'] },
  size: 50,
  hints: [
    ['j k', 'move'],
    ['↵', 'details'],
    ['m', 'menu'],
  ],
  keyOf: ({ cluster }: ClusterRow): string => cluster.clusterId,
  textOf: ({ cluster }: ClusterRow): string => `${cluster.clusterId} ${cluster.publicURL} ${cluster.status}`,
  isFirst: ({ isRoot }: ClusterRow): boolean => isRoot,
} as const
const search = z.object(wholeListShape(clustersList.order))
const listPath = routePath('clusters')
const toName = (date: Date): string => formatDate(date, config.loc.dateTimeFormat)

/** This cluster and its leaves: whether each is there, what is in it, how it is reached. */
export function Clusters() {
  const { acl, cluster: own } = useUserContext()
  const [address, setAddress] = useSearchState(search)
  const { name: open } = useRouteParams('clusterDetails') as { name?: string }
  const query = useQuery({ ...callQuery(clusters), refetchInterval: every })
  const rows = useMemo(
    () =>
      query.data?.map((wire): ClusterRow => {
        const cluster: Cluster = toCluster(wire, toName)
        return { cluster, isRoot: cluster.clusterId === own.clusterId, rootVersion: own.proxyVersion }
      }),
    [query.data, own],
  )
  const columns = useMemo(() => clusterColumns(acl), [acl])
  const list = useWholeList(clustersList, { columns, rows, address, setAddress })
  const shown = rows?.find(({ cluster }) => cluster.clusterId === open)
  return (
    <>
      <WholeList list={list} texts={clustersList} query={query} />
      {open !== undefined && rows && <ClusterDetails name={open} row={shown} onClose={() => pushPath(listPath)} />}
    </>
  )
}
