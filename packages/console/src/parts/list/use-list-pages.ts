import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type * as z from 'zod/mini'
import type { Call } from '@sallyport/wire/call.ts'
import type { clusterParams } from '@sallyport/wire/calls/clusters.ts'
import type { listQueryWire, Page } from '@sallyport/wire/entities/list.ts'
import { ApiError } from '@sallyport/wire/errors.ts'
import { callQuery } from '../../api/queries.ts'

/** How the proxy begins its word on an expression that it cannot read. */
const refusal = 'failed to parse predicate expression: '

/** A call that lists things of a cluster by the list grammar. */
export type ListCall<Wire> = Call<
  (typeof clusterParams)['shape'],
  (typeof listQueryWire)['shape'],
  z.ZodMiniType,
  z.ZodMiniType<Page<Wire>, unknown>
>

export interface ListFilter {
  clusterId: string
  search: string
  query: string
  sort: string
  size: number
  /** With those that the viewer may only ask for. */
  requestable: boolean
}

/** One page of a list and the way to its neighbours. Pages are known by keys, so going back replays the keys that led here. */
export function useListPages<Wire>(call: ListCall<Wire>, { clusterId, search, query: expression, sort, size, requestable }: ListFilter) {
  const of = JSON.stringify([clusterId, search, expression, sort, size, requestable])
  const [trail, setTrail] = useState<{ of: string; keys: string[] }>({ of, keys: [] })
  const keys = trail.of === of ? trail.keys : []
  const startKey = keys.at(-1)
  const query = useQuery({
    ...callQuery(call, {
      params: { clusterId },
      query: {
        limit: size,
        sort,
        ...(requestable && { searchAsRoles: 'yes' }),
        ...(search && { search }),
        ...(expression && { query: expression }),
        ...(startKey && { startKey }),
      },
    }),
    placeholderData: keepPreviousData,
  })
  // While an expression is refused, the rows of the last good one stay.
  const [good, setGood] = useState(query.data)
  if (query.data && query.data !== good) setGood(query.data)
  const refused = query.error instanceof ApiError && query.error.message.startsWith(refusal) ? query.error.message : undefined
  const data = query.data ?? (refused === undefined ? undefined : good)
  const nextKey = query.data?.startKey
  return {
    query,
    /** What is wrong with the expression, in the proxy's words. */
    refused: refused && `Query not understood: ${refused.slice(refusal.length)}`,
    items: data?.items,
    total: data?.totalCount,
    from: keys.length * size + 1,
    onPrevious: keys.length > 0 ? () => setTrail({ of, keys: keys.slice(0, -1) }) : undefined,
    onNext: nextKey && !query.isPlaceholderData ? () => setTrail({ of, keys: [...keys, nextKey] }) : undefined,
  }
}
