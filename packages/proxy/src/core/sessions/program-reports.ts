/** What the host of a session tells of the programs in it: which began, what they opened, where they connected to. */
import type { AuditCode } from '@sallyport/wire/audit/catalogue.ts'
import type { ProgramEventKind, ProgramEventWire, WatchMessageWire } from '@sallyport/wire/program-watch.ts'
import type { AuditFields } from '../audit/audit.ts'

export type ProgramReport = ProgramEventWire | Extract<WatchMessageWire, { kind: 'lost' }>

export interface ProgramReports {
  /** What is told; nothing where the host cannot. */
  readonly kinds: readonly ProgramEventKind[]
  /** What was asked for and is not told, each with its reason. */
  readonly missing: readonly string[]
  /** As they come, some at a time, until no program of the session is left. Whoever takes long to read has the host leave some out. */
  readonly batches: AsyncIterable<readonly ProgramReport[]>
  /** The session is over. Resolves when what happened before was read, as far as the host is quick to tell it. Does not reject. */
  over(): Promise<void>
}

/** The event of the audit log for a report. */
export function eventOf(report: ProgramReport): [AuditCode, AuditFields] {
  const { kind, ...fields } = report
  if (kind === 'command') return ['T4000I', fields]
  if (kind === 'disk') return ['T4001I', fields]
  // 0: it was let through. Nothing is kept from connecting.
  if (kind === 'network') return ['T4002I', { action: 0, ...fields }]
  return ['TSE001W', fields]
}
