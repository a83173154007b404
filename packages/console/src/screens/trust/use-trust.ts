import { useQuery } from '@tanstack/react-query'
import { list, states } from '@sallyport/wire/calls/trusted-clusters.ts'
import type { ResourceItem } from '@sallyport/wire/entities/resource-item.ts'
import type { TrustState } from '@sallyport/wire/entities/trusted-cluster.ts'
import { useMemo } from 'react'
import { callQuery, queryClient } from '../../api/queries.ts'

export interface TrustedRoot {
  item: ResourceItem
  /** Undefined where the proxy does not tell. */
  state: TrustState | undefined
}

/** How often the state of the connections is asked for. */
const every = 5000

export const refreshTrust = async (): Promise<void> => {
  await Promise.all([list, states].map(({ id }) => queryClient.invalidateQueries({ queryKey: [id] })))
}

/** The clusters that this one trusts. Proxies of others do not tell how the connections are. */
export function useTrust() {
  const documents = useQuery(callQuery(list))
  const seen = useQuery({ ...callQuery(states), refetchInterval: every })
  const roots = useMemo(
    () => documents.data?.map((item): TrustedRoot => ({ item, state: seen.data?.find(({ name }) => name === item.name) })),
    [documents.data, seen.data],
  )
  return { roots, error: documents.error, refetch: () => void refreshTrust() }
}
