/** The hash chain: what is hashed, and how a broken link is found. */
import { hash } from 'node:crypto'
import { z } from 'zod'
import type { AuditEventsTable } from '../../store/schema/audit-events.ts'

export type AuditRow = AuditEventsTable
/** A row before its place in the chain is known. */
export type AuditEntry = Omit<AuditRow, 'seq' | 'prev_hash' | 'hash'>

/** Adds to the chain. */
export interface Writer {
  /** Resolves when all entries are on disk. When it rejects, none may count on being there. */
  write(entries: readonly AuditEntry[]): Promise<void>
  /** So many writes may be under way; they come into the chain in the order of the calls. */
  readonly atOnce: number
  /** When nothing is written any more. */
  close(): Promise<void>
}

/** Where the chain ends. */
export const headRow = z.object({ seq: z.number(), hash: z.string() })
export const emptyHash = '0'.repeat(64)

/** Every column counts, so that an index column cannot be changed behind the event's back. */
export const hashRow = (previous: string, seq: number, row: AuditEntry): string =>
  hash('sha256', `${previous}\n${JSON.stringify([seq, row.time, row.type, row.code, row.uid, row.user, row.sid])}\n${row.doc}`)

/** Appends to a chain that ends at `head`. */
export function linkRows(head: { seq: number; hash: string }, entries: readonly AuditEntry[]): AuditRow[] {
  let { seq, hash: previous } = head
  return entries.map((entry) => {
    seq += 1
    const row = { ...entry, seq, prev_hash: previous, hash: hashRow(previous, seq, entry) }
    previous = row.hash
    return row
  })
}

/** Why `row` cannot follow a chain that ends at `last`; undefined when it can. */
export function whyNotNext(last: { seq: number; hash: string }, row: AuditRow): string | undefined {
  if (row.seq !== last.seq + 1)
    return row.seq > last.seq ? `events ${last.seq + 1} to ${row.seq - 1} are missing` : 'its place in the chain is taken'
  if (row.prev_hash !== last.hash) return 'it does not follow the event before it'
  if (row.hash !== hashRow(last.hash, row.seq, row)) return 'its content was changed'
  return undefined
}
