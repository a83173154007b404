import { activeSessions, endSession } from '@sallyport/wire/calls/sessions.ts'
import { request } from '../../api/page.ts'
import { queryClient } from '../../api/queries.ts'
import { confirm } from '../../ui/confirm.ts'
import { toasts } from '../../ui/toast.ts'
import type { SessionRow } from './session-row.ts'

/** Asks whether to end a session for everybody in it, and ends it. */
export function askToEnd({ sid, clusterId, resourceName, login, users }: SessionRow): void {
  const people = users.length === 0 ? 'Nobody is in it at the moment.' : `In it: ${users.join(', ')}.`
  confirm({
    title: `End the session on ${login}@${resourceName}?`,
    body: `Its shell and the programs in it are ended for everybody. ${people}`,
    action: 'End session',
    danger: true,
    run: async () => {
      await request(endSession, { params: { clusterId, sid } })
      toasts.show({ title: `The session on ${resourceName} was ended` })
      await queryClient.invalidateQueries({ queryKey: [activeSessions.id] })
    },
  })
}
