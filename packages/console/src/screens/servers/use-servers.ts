import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { nodes } from '@sallyport/wire/calls/nodes.ts'
import { toNode } from '@sallyport/wire/entities/node.ts'
import type { Node } from '@sallyport/wire/entities/node.ts'
import { callQuery } from '../../api/queries.ts'

export interface ServerFilter {
  clusterId: string
  search: string
  sort: string
  size: number
}

/** One page of servers and the way to its neighbours. Pages are known by keys, so going back replays the keys that led here. */
export function useServers({ clusterId, search, sort, size }: ServerFilter) {
  const of = JSON.stringify([clusterId, search, sort, size])
  const [trail, setTrail] = useState<{ of: string; keys: string[] }>({ of, keys: [] })
  const keys = trail.of === of ? trail.keys : []
  const startKey = keys.at(-1)
  const query = useQuery({
    ...callQuery(nodes, { params: { clusterId }, query: { limit: size, sort, ...(search && { search }), ...(startKey && { startKey }) } }),
    placeholderData: keepPreviousData,
  })
  const list: Node[] | undefined = useMemo(() => query.data?.items.map(toNode), [query.data])
  const nextKey = query.data?.startKey
  return {
    query,
    nodes: list,
    total: query.data?.totalCount,
    from: keys.length * size + 1,
    onPrevious: keys.length > 0 ? () => setTrail({ of, keys: keys.slice(0, -1) }) : undefined,
    onNext: nextKey && !query.isPlaceholderData ? () => setTrail({ of, keys: [...keys, nextKey] }) : undefined,
  }
}
