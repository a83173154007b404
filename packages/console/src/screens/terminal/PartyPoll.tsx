import { useQuery } from '@tanstack/react-query'
import { activeSessions } from '@sallyport/wire/calls/sessions.ts'
import { useEffect } from 'react'
import { callQuery } from '../../api/queries.ts'
import { useStore } from '../../ui/store.ts'
import { isLive } from './console-tabs.ts'
import type { LiveTerminals } from './live-terminals.ts'

/** How often the parties of open sessions are read (ms). */
export const partyPollEvery = 5000

/** Keeps the party lists of the open terminals current, one call per cluster with a live session. Failures are ignored. */
export function PartyPoll({ terminals }: { terminals: LiveTerminals }) {
  const { tabs } = useStore(terminals.tabs.store)
  const clusters = new Set(tabs.filter(isLive).map(({ clusterId }) => clusterId))
  return [...clusters].map((clusterId) => <ClusterPoll key={clusterId} terminals={terminals} clusterId={clusterId} />)
}

function ClusterPoll({ terminals, clusterId }: { terminals: LiveTerminals; clusterId: string }) {
  const { data } = useQuery({
    ...callQuery(activeSessions, { params: { clusterId } }),
    refetchInterval: partyPollEvery,
    throwOnError: false,
  })
  useEffect(() => {
    if (data)
      terminals.setParties(clusterId, new Map(data.sessions.map(({ id, parties }) => [id, (parties ?? []).map(({ user }) => user)])))
  })
  return null
}
