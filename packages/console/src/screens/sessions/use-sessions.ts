import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { activeSessions } from '@sallyport/wire/calls/sessions.ts'
import { callQuery } from '../../api/queries.ts'
import { useClusterId } from '../../parts/use-route.ts'
import { toSessionRow, type SessionRow } from './session-row.ts'

/** How often the list is read again (ms). */
const readEvery = 5000

/** The sessions that the viewer may see, as they are now. */
export function useSessions() {
  const clusterId = useClusterId()
  const query = useQuery({ ...callQuery(activeSessions, { params: { clusterId } }), refetchInterval: readEvery })
  const { data, dataUpdatedAt } = query
  const rows = useMemo(
    (): readonly SessionRow[] | undefined => data?.sessions.map((wire) => toSessionRow(wire, clusterId, dataUpdatedAt)),
    [data, clusterId, dataUpdatedAt],
  )
  return { clusterId, query, rows }
}
