import { fileTransferEvents, type FileTransferEvent } from '@sallyport/wire/sockets/terminal.ts'
import type { TransferWish } from './transfer-queue.ts'

/** What is needed of a running session. */
export interface ModeratedSession {
  requestTransfer(wish: TransferWish): void
  decideTransfer(requestId: string, approved: boolean): void
  readonly transferEvents: Set<(event: FileTransferEvent) => void>
}

/**
 * Asks a session's moderators for leave to move one file. Resolves with the id of the approved request; rejects when they deny
 * it, when another request takes its place, and when the signal aborts, which takes it back.
 */
export async function askModerators(session: ModeratedSession, wish: TransferWish, signal: AbortSignal): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let id: string | undefined
  const listener = (event: FileTransferEvent): void => {
    const isOurs = event.download === wish.download && event.location === wish.location && event.filename === wish.filename
    if (event.event === fileTransferEvents.request) {
      if (isOurs) id ??= event.requestID
      if (id !== undefined && event.requestID !== id) reject(new Error('Another request took the place of this one. Try again.'))
    } else if (event.requestID !== id) return
    else if (event.event === fileTransferEvents.approve) resolve(event.requestID)
    else reject(new Error('The moderators did not allow it.'))
  }
  const stop = (): void => {
    if (id !== undefined) session.decideTransfer(id, false)
    reject(signal.reason)
  }
  session.transferEvents.add(listener)
  signal.addEventListener('abort', stop, { once: true })
  session.requestTransfer(wish)
  try {
    return await promise
  } finally {
    session.transferEvents.delete(listener)
    signal.removeEventListener('abort', stop)
  }
}
