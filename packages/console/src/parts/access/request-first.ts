/**
 * Where roles want a request for access before anything else (`request_access`): which request somebody waits for, sent by
 * itself where no reason is asked for, and taken up once it is approved.
 */
import { queryOptions } from '@tanstack/react-query'
import { create, list } from '@sallyport/wire/calls/access-requests.ts'
import { renew } from '@sallyport/wire/calls/session.ts'
import { toAccessRequest } from '@sallyport/wire/entities/access-request.ts'
import type { AccessRequest } from '@sallyport/wire/entities/access-request.ts'
import type { UserContext } from '@sallyport/wire/entities/user-context.ts'
import { request, session } from '../../api/page.ts'
import { queryClient } from '../../api/queries.ts'
import { tellRights } from './assume.ts'

/** Of this tab: the request that it waits for, or, after a mark, the one that it has taken up. Neither is sent anew by itself. */
const awaitedKey = 'sallyport_awaited_request'
const takenMark = 'taken '
const stored = (): string => window.sessionStorage.getItem(awaitedKey) ?? ''

const pollEvery = 5000
const queryKey = ['request-first']

/** `*`: every role that one may ask for. */
async function send(reason: string): Promise<AccessRequest> {
  const sent = await request(create, { body: { roles: ['*'], reason } })
  window.sessionStorage.setItem(awaitedKey, sent.id)
  return toAccessRequest(sent, Date.now())
}

/** The one that this tab waits for goes first, then what is approved, then what waits. */
function choose(own: readonly AccessRequest[]): AccessRequest | undefined {
  const mine = own.find(({ id }) => id === stored().replace(takenMark, ''))
  const isOpen = ({ state, locked }: AccessRequest): boolean => (state === 'PENDING' || state === 'APPROVED') && locked === ''
  if (mine && isOpen(mine)) return mine
  const usable = own.find(({ state, locked }) => state === 'APPROVED' && locked === '')
  return usable ?? own.find(({ state, resources }) => state === 'PENDING' && resources.length === 0) ?? mine
}

async function takeUp(requestId: string): Promise<void> {
  await session.exchange(() => request(renew, { body: { requestId } }))
  window.sessionStorage.setItem(awaitedKey, takenMark + requestId)
  tellRights()
  // Everything but this query, which waits for it.
  await queryClient.invalidateQueries({ predicate: (query) => query.queryKey[0] !== queryKey[0] })
}

/** Null where nothing was asked for yet. */
export const requestFirstQuery = ({ username, accessStrategy }: UserContext) =>
  queryOptions({
    queryKey,
    queryFn: async ({ signal }): Promise<AccessRequest | null> => {
      const all = (await request(list, {}, { signal })).map((wire) => toAccessRequest(wire, Date.now()))
      const found = choose(all.filter(({ user }) => user === username))
      if (!found) return accessStrategy.type === 'always' ? send('') : null
      if (found.state === 'APPROVED' && found.id === stored() && found.locked === '') await takeUp(found.id)
      return found
    },
    refetchInterval: ({ state: { data, error } }) => (data && !error ? pollEvery : false),
  })

export async function sendFirst(reason: string): Promise<void> {
  queryClient.setQueryData(queryKey, await send(reason))
}
