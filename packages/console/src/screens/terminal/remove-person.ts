import { activeSessions, removeParty } from '@sallyport/wire/calls/sessions.ts'
import { request } from '../../api/page.ts'
import { queryClient } from '../../api/queries.ts'
import { confirm } from '../../ui/confirm.ts'
import { toasts } from '../../ui/toast.ts'
import type { Person, SessionFacts } from './session-state.ts'

/** Asks whether to put somebody out of a session, and does it. `onDone` is called when they are out. */
export function askToRemove({ clusterId, sid, owner }: SessionFacts, { id, user }: Person, onDone: () => void): void {
  confirm({
    title: `Remove ${user} from the session?`,
    body: `${
      user === owner ? 'It is their session; it goes on while somebody else is in it.' : 'What they have open of it closes.'
    } They may join again for as long as their roles allow it; a lock keeps them out.`,
    action: 'Remove',
    danger: true,
    run: async () => {
      await request(removeParty, { params: { clusterId, sid, partyId: id } })
      toasts.show({ title: `${user} was removed from the session` })
      onDone()
      await queryClient.invalidateQueries({ queryKey: [activeSessions.id] })
    },
  })
}
