/** What can be done about a request, from its row and from its details. */
import { createContext, use } from 'react'
import { remove } from '@sallyport/wire/calls/access-requests.ts'
import { request as send } from '../../api/page.ts'
import { assumeRequest, dropAccess } from '../../parts/access/assume.ts'
import { confirm } from '../../ui/confirm.ts'
import { toasts } from '../../ui/toast.ts'
import type { RequestRow } from './use-requests.ts'
import { refreshRequests, wishOf } from './use-requests.ts'

export interface RequestActions {
  mayRemove: boolean
  onOpen: (row: RequestRow) => void
  onRemove: (row: RequestRow) => void
}
export const RequestActionsContext = createContext<RequestActions | undefined>(undefined)

export function useRequestActions(): RequestActions {
  const actions = use(RequestActionsContext)
  if (!actions) throw new Error('a request outside of its list')
  return actions
}

export async function assume({ request }: RequestRow): Promise<void> {
  try {
    await assumeRequest(request.id)
    toasts.show({ title: 'Access assumed', body: wishOf(request).join(', ') })
  } catch (error) {
    toasts.show({ kind: 'danger', title: 'Could not assume this access', body: error instanceof Error ? error.message : String(error) })
    await refreshRequests()
  }
}

export function askToDrop(): void {
  confirm({
    title: 'Drop this access?',
    body: 'You are back to your own roles. Terminals that are open keep what they have until it ends.',
    action: 'Drop access',
    run: dropAccess,
  })
}

export function askToRemove({ request }: RequestRow, onDone: () => void): void {
  confirm({
    title: `Delete the request of ${request.user}?`,
    body: 'Nobody can assume it any more. Sessions that have assumed it keep their access until it ends.',
    action: 'Delete request',
    danger: true,
    async run() {
      await send(remove, { params: { requestId: request.id } })
      toasts.show({ title: 'Request deleted' })
      onDone()
      await refreshRequests()
    },
  })
}
