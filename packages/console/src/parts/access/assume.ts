/** Taking up and giving back access by an approved request. Rights are read anew then, in all tabs. */
import { renew } from '@sallyport/wire/calls/session.ts'
import { request, session } from '../../api/page.ts'
import { queryClient } from '../../api/queries.ts'

/** Tells the other tabs that the rights of the session have changed. */
export const accessChannel = 'sallyport_access'

/** Whatever was read with other rights is read again. */
export const reloadRights = (): Promise<void> => queryClient.invalidateQueries()

async function exchange(body: { requestId: string } | { switchback: true }): Promise<void> {
  await session.exchange(() => request(renew, { body }))
  tellRights()
  await reloadRights()
}

/** To the other tabs: the session has other rights now. */
export function tellRights(): void {
  using channel = openChannel()
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel of this origin has no other
  channel.postMessage('changed')
}

function openChannel(): BroadcastChannel & Disposable {
  const channel = new BroadcastChannel(accessChannel)
  return Object.assign(channel, { [Symbol.dispose]: () => channel.close() })
}

/** Rejects with the refusal: not approved yet, denied, over or locked. */
export const assumeRequest = (requestId: string): Promise<void> => exchange({ requestId })

export const dropAccess = (): Promise<void> => exchange({ switchback: true })
