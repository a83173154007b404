/** The audit log as the rest of the proxy sees it. Implemented over the store in audit-log.ts. */
import type { AuditCode } from '@sallyport/wire/audit/catalogue.ts'
import type { AuditEventWire } from '@sallyport/wire/audit/event.ts'

/** Fields of one event besides those that the log itself sets (uid, time, event, code, cluster_name). */
export type AuditFields = Readonly<Record<string, unknown>> & { user?: string; sid?: string; ei?: number }

export interface AuditQuery {
  from: Date
  to: Date
  /** Event types; undefined means all, an empty list none. */
  types: readonly string[] | undefined
  limit: number
  startKey: string
  order: 'asc' | 'desc'
  /** Further condition on one event, for permissions that depend on its content. */
  accepts?: (event: AuditEventWire) => boolean
}

export interface AuditPage {
  events: AuditEventWire[]
  startKey: string
}

export interface Audit {
  /** Resolves when the event is durable. Rejects when it cannot be stored: what it announces must then not happen. */
  emit(code: AuditCode, fields: AuditFields): Promise<AuditEventWire>
  search(query: AuditQuery): Promise<AuditPage>
  /** Walks the whole chain. */
  verify(): Promise<{ ok: true; events: number } | { ok: false; events: number; firstBroken: { seq: number; uid: string; reason: string } }>
}
