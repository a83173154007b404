/** The page's transfers: one queue, whichever terminal is shown, until the page is left. */
import { authenticateChallenge, mfaRequired } from '@sallyport/wire/calls/mfa.ts'
import { ApiError } from '@sallyport/wire/errors.ts'
import { createFileClient } from '../../../api/file-client.ts'
import { clientHost, request, session } from '../../../api/page.ts'
import { saveFile } from '../../../parts/save-file.ts'
import { CeremonyStopped, getAssertion } from '../../../parts/webauthn.ts'
import { askModerators, type ModeratedSession } from './moderators.ts'
import type { TransferPlace } from './transfer-item.ts'
import { TransferQueue } from './transfer-queue.ts'

async function prove({ clusterId, serverId, login }: TransferPlace): Promise<string | undefined> {
  const node = { node_name: serverId, login }
  const { required } = await request(mfaRequired, { params: { clusterId }, body: { node } })
  if (!required) return undefined
  const { webauthn_challenge: challenge } = await request(authenticateChallenge)
  if (!challenge) throw new Error('Copying files here needs a passkey or security key. Add one in your account settings.')
  return JSON.stringify({ webauthnAssertionResponse: await getAssertion(challenge.publicKey) })
}

/** `sessionOf`: the session of this page with that id. */
export function createPageTransfers(sessionOf: (sid: string) => ModeratedSession | undefined): TransferQueue {
  const transfers = new TransferQueue({
    files: createFileClient(clientHost),
    prove,
    ask(sid, wish, signal) {
      const live = sessionOf(sid)
      return live ? askModerators(live, wish, signal) : Promise.reject(new Error('The session is over.'))
    },
    save: (name, body) => saveFile(name, 'application/octet-stream', body),
    isTaken: (error) => error instanceof ApiError && error.status === 409,
    explain: (error) => (error instanceof CeremonyStopped ? undefined : error instanceof Error ? error.message : String(error)),
    now: () => performance.now(),
  })
  // What is under way ends with the page.
  addEventListener('beforeunload', (event) => {
    if (transfers.isActive() && !session.isLeaving()) event.preventDefault()
  })
  return transfers
}
