/** The keys of those who do not type: what they end with them. */
import type { ParticipantMode } from '@sallyport/wire/entities/session-tracker.ts'

const interrupt = 0x03
const escape = 0x1b
const t = 0x74

/** Ctrl-C leaves, a moderator's `t` ends the session. What their terminal answers to the program is no key. */
export function watcherAsks(mode: ParticipantMode, bytes: Buffer): 'leave' | 'terminate' | undefined {
  if (bytes.includes(interrupt)) return 'leave'
  return mode === 'moderator' && bytes.includes(t) && !bytes.includes(escape) ? 'terminate' : undefined
}
