/** Why a session ends, for its people and for the audit log. */
import { notices } from './notices.ts'
import type { ExitInfo, Shell } from './shell.ts'

export type EndReason =
  /** The shell said how it ended. */
  | { kind: 'exit' }
  /** `text` is for everybody's screen; `disconnected` is what the audit log says of the owner. */
  | { kind: 'cut'; text: string; disconnected?: string }

export const endReasons = {
  idle: (text: string): EndReason => ({
    kind: 'cut',
    text: text || 'The session is closed: it was idle for too long.',
    disconnected: 'the session was idle for too long',
  }),
  signedOut: { kind: 'cut', text: 'The session is closed: you were signed out.', disconnected: 'the web session ended' },
  abandoned: { kind: 'cut', text: '' },
  terminated: (by: string): EndReason => ({ kind: 'cut', text: notices.terminated(by), disconnected: `${by} ended the session` }),
  lacksModerators: { kind: 'cut', text: notices.lacksModerators, disconnected: 'somebody who is needed in the session left' },
  unrecorded: (why: string): EndReason => ({
    kind: 'cut',
    text: `The session is closed, for it must be recorded. ${why}`,
    disconnected: 'the session could not be recorded',
  }),
} as const satisfies Record<string, EndReason | ((text: string) => EndReason)>

/** How a shell ended, once all of its output has been read. Does not reject. */
export async function endOfShell(shell: Shell, hostname: string): Promise<{ exit: ExitInfo; reason: EndReason }> {
  let failure: Error | undefined
  shell.on('error', (error: Error) => (failure = error))
  // All output has been read when the stream ends, and it closes when it breaks.
  const over = new Promise<void>((resolve) => shell.once('end', resolve).once('close', resolve))
  const [exit] = await Promise.all([shell.exit, over])
  if (exit.code !== undefined || exit.signal !== undefined) return { exit, reason: { kind: 'exit' } }
  return { exit, reason: { kind: 'cut', text: `The connection to ${hostname} was lost. ${failure?.message ?? ''}`.trim() } }
}
