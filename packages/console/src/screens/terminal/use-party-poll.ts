import { useQueries } from '@tanstack/react-query'
import { activeSessions } from '@sallyport/wire/calls/sessions.ts'
import { useEffect } from 'react'
import { callQuery } from '../../api/queries.ts'
import { useStore } from '../../ui/store.ts'
import { isLive } from './console-tabs.ts'
import type { LiveTerminals } from './live-terminals.ts'

/** How often the parties of open sessions are read (ms). */
export const partyPollEvery = 5000

/** Keeps the party lists of the open terminals current, one call per cluster with a live session. Failures are ignored. */
export function usePartyPoll(terminals: LiveTerminals): void {
  const { tabs } = useStore(terminals.tabs.store)
  const clusters = [...new Set(tabs.filter(isLive).map(({ clusterId }) => clusterId))].toSorted()
  const answers = useQueries({
    queries: clusters.map((clusterId) => ({
      ...callQuery(activeSessions, { params: { clusterId } }),
      refetchInterval: partyPollEvery,
      throwOnError: false,
    })),
  })
  useEffect(() => {
    for (const [index, clusterId] of clusters.entries()) {
      const sessions = answers[index]?.data?.sessions
      if (sessions)
        terminals.setParties(clusterId, new Map(sessions.map(({ id, parties }) => [id, (parties ?? []).map(({ user }) => user)])))
    }
  })
}
