import { useQuery } from '@tanstack/react-query'
import { create, createWithLabels } from '@sallyport/wire/calls/tokens.ts'
import { toJoinToken } from '@sallyport/wire/entities/join-token.ts'
import type { JoinToken } from '@sallyport/wire/entities/join-token.ts'
import type { Label } from '@sallyport/wire/entities/label.ts'
import { resourceIdLabel } from '@sallyport/wire/limits.ts'
import { request } from '../../api/page.ts'
import { useHiddenSince } from '../../parts/hidden-since.ts'
import { finders } from './find-enrolled.ts'
import type { Find } from './find-enrolled.ts'
import type { Enrolled } from './kinds.ts'
import type { Matchers } from './labels.ts'
import type { Kind } from './tiles.ts'
import { rememberWaiting, waitingIds } from './waiting.ts'

const pollEvery = 3_000
/** A page that nobody has looked at for so long asks no more, until somebody does. */
const pollHidden = 15 * 60_000

export interface TokenWish {
  role: string
  labels?: readonly Label[]
  /** Of databases that the agent is for. */
  matchers?: Matchers
  /** Tells tokens of one wish apart, which are used for different things. */
  purpose?: string
}

/** A token for one more machine, made when it is first asked for; `refetch` makes another one. */
export function useJoinToken({ role, labels = [], matchers, purpose }: TokenWish) {
  return useQuery({
    queryKey: ['discover.token', role, labels, matchers, purpose],
    staleTime: Infinity,
    queryFn: async ({ signal }): Promise<JoinToken> => {
      const fields = { roles: [role], ...(matchers && { suggested_agent_matcher_labels: matchers }) }
      const wire =
        labels.length === 0
          ? await request(create, { body: fields }, { signal })
          : await request(createWithLabels, { body: { ...fields, suggestedLabels: [...labels] } }, { signal })
      const token = toJoinToken(wire, Date.now())
      if (token.internalResourceId === '')
        throw new Error('The proxy gave a token without the label by which the newcomer would be recognised. Update the proxy.')
      rememberWaiting(token.internalResourceId)
      return token
    },
  })
}

/** What has joined with a command of this tab, also one from before a reload; undefined while nothing has. `what` tells searches apart. */
export function useJoined<T>(clusterId: string, what: string, find: Find<T>): T | undefined {
  const hiddenSince = useHiddenSince()
  const joined = useQuery<T | null>({
    queryKey: ['discover.joined', clusterId, what],
    gcTime: 0,
    refetchIntervalInBackground: true,
    refetchOnWindowFocus: true,
    refetchInterval: ({ state }) => {
      if (state.data) return false
      const hidden = hiddenSince()
      return hidden !== undefined && Date.now() - hidden > pollHidden ? false : pollEvery
    },
    queryFn: async ({ signal }) => {
      for (const id of waitingIds()) {
        const [found] = await find(clusterId, `${resourceIdLabel} ${id}`, signal)
        if (found) return found
      }
      return null
    },
  })
  return joined.data ?? undefined
}

/** What was enrolled, as it is now; null when it is gone. */
export function useEnrolled(clusterId: string, kind: Kind, id: string) {
  return useQuery({
    queryKey: ['discover.enrolled', clusterId, kind, id],
    queryFn: async ({ signal }): Promise<Enrolled | null> => {
      const items = await finders[kind](clusterId, id, signal)
      return items.find((item) => item.id === id) ?? null
    },
  })
}
