/** What a live session needs of a shell, whatever protocol reaches it. */
import type { Duplex, Readable } from 'node:stream'
import type { ProgramReports } from './program-reports.ts'

/** How the remote process ended; both undefined when the connection went away before it said. */
export interface ExitInfo {
  readonly code: number | undefined
  readonly signal: string | undefined
}

/** Reading it gives output; a reader that stops reading stops the remote program. */
export interface Shell extends Duplex {
  readonly stderr?: Readable
  /** Settles when the process has ended or the connection is gone; does not reject. */
  readonly exit: Promise<ExitInfo>
  /** Milliseconds to the host and back, where that can be measured; undefined when it ends first. */
  ping?: () => Promise<number | undefined>
  /** Where the owner's roles want to know what the programs in it do. */
  readonly programs?: ProgramReports
  setWindow(columns: number, rows: number): void
}
