import { useQuery } from '@tanstack/react-query'
import { nodes } from '@sallyport/wire/calls/nodes.ts'
import { create, createWithLabels } from '@sallyport/wire/calls/tokens.ts'
import { toJoinToken } from '@sallyport/wire/entities/join-token.ts'
import type { JoinToken } from '@sallyport/wire/entities/join-token.ts'
import type { Label } from '@sallyport/wire/entities/label.ts'
import { toNode } from '@sallyport/wire/entities/node.ts'
import type { Node } from '@sallyport/wire/entities/node.ts'
import { resourceIdLabel } from '@sallyport/wire/limits.ts'
import { request } from '../../api/page.ts'
import { useHiddenSince } from '../../parts/hidden-since.ts'
import { rememberWaiting, waitingIds } from './waiting.ts'

const pollEvery = 3_000
/** A page that nobody has looked at for so long asks no more, until somebody does. */
const pollHidden = 15 * 60_000

/** A token for one more machine, made when it is first asked for; `refetch` makes another one. */
export function useJoinToken(labels: readonly Label[]) {
  return useQuery({
    queryKey: ['discover.token', labels],
    staleTime: Infinity,
    queryFn: async ({ signal }): Promise<JoinToken> => {
      const fields = { roles: ['Node'] }
      const wire =
        labels.length === 0
          ? await request(create, { body: fields }, { signal })
          : await request(createWithLabels, { body: { ...fields, suggestedLabels: [...labels] } }, { signal })
      const token = toJoinToken(wire, Date.now())
      if (token.internalResourceId === '')
        throw new Error('The proxy gave a token without the label by which the server would be recognised. Update the proxy.')
      rememberWaiting(token.internalResourceId)
      return token
    },
  })
}

/** The server that has joined with a command of this tab, also one from before a reload; undefined while none has. */
export function useJoined(clusterId: string): Node | undefined {
  const hiddenSince = useHiddenSince()
  const joined = useQuery<Node | null>({
    queryKey: ['discover.joined', clusterId],
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
        const query = { limit: 1, search: `${resourceIdLabel} ${id}` }
        const [found] = (await request(nodes, { params: { clusterId }, query }, { signal })).items
        if (found) return toNode(found, clusterId)
      }
      return null
    },
  })
  return joined.data ?? undefined
}

/** A server that has joined, as it is now; null when it is gone. */
export function useServer(clusterId: string, id: string) {
  return useQuery({
    queryKey: ['discover.server', clusterId, id],
    queryFn: async ({ signal }): Promise<Node | null> => {
      const { items } = await request(nodes, { params: { clusterId }, query: { limit: 10, search: id } }, { signal })
      const found = items.find((node) => node.id === id)
      return found ? toNode(found, clusterId) : null
    },
  })
}
