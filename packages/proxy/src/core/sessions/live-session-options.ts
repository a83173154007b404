/** What a live session is made of. */
import type { SessionHost } from '../access/session-access.ts'
import type { RecordingMode, SessionLog } from './session-log.ts'
import type { Shell } from './shell.ts'

export interface LiveSessionOptions {
  /** What the owner's roles demand. */
  host: SessionHost
  /** Called once; in a moderated session not before everybody is there who is needed. */
  openShell: () => Promise<Shell>
  /** The words for people when the shell does not open. */
  explain: (error: unknown) => string
  log: SessionLog
  mode: RecordingMode
  /** Milliseconds without a keystroke after which the session ends; 0 for never. */
  idleTimeout: number
  /** What people are told then; empty for our own words. */
  idleText: string
  /** Milliseconds for which the owner's shell is kept when their connection broke. */
  grace: number
  now: () => number
}
