/** The audit log over the store: append-only, chained, durable before it is acknowledged. */
import { randomUUID } from 'node:crypto'
import { auditCatalogue } from '@sallyport/wire/audit/catalogue.ts'
import type { AuditDefinition, AuditEventWire } from '@sallyport/wire/audit/event.ts'
import type { AuditStore } from '../../store/db.ts'
import type { Clock } from '../clock.ts'
import { AppError } from '../errors.ts'
import type { Audit } from './audit.ts'
import type { AuditEntry } from './chain.ts'
import { createGroupCommit } from './group-commit.ts'
import { searchEvents } from './search.ts'
import { verifyChain } from './verify.ts'
import { createWriter } from './writer.ts'

export interface AuditLogDeps {
  store: AuditStore
  clusterName: string
  clock: Clock
}

/** Disposing it writes what still waits; the store must be open until then. */
export interface AuditLog extends Audit, AsyncDisposable {}

/** For the columns: not every store keeps NUL and half surrogates, and what is read back must be what was hashed. */
const text = (value: unknown): string => (typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : '')

function toEntry(event: AuditEventWire, time: number): AuditEntry {
  return {
    time,
    type: event.event,
    code: text(event.code),
    uid: text(event.uid),
    user: text(event.user),
    sid: text(event['sid']),
    doc: JSON.stringify(event),
  }
}

export function createAuditLog({ store, clusterName, clock }: AuditLogDeps): AuditLog {
  const writer = createWriter(store)
  const commits = createGroupCommit(writer.write, writer.atOnce)
  let closing: Promise<void> | undefined
  return {
    async emit(code, fields) {
      if (closing) throw new AppError('internal', 'the audit log is closed: the proxy is stopping')
      const definition: AuditDefinition = auditCatalogue[code]
      const time = clock.now()
      const event: AuditEventWire = {
        ei: 0,
        ...fields,
        event: definition.type,
        code,
        uid: randomUUID(),
        time: new Date(time).toISOString(),
        cluster_name: clusterName,
      }
      try {
        await commits.add(toEntry(event, time))
      } catch (cause) {
        const message = 'the audit log cannot be written, so nothing was done; an administrator must free disk space or repair the store'
        throw new AppError('internal', message, { cause, detail: cause instanceof Error ? cause.message : String(cause) })
      }
      return event
    },
    search: (query) => searchEvents(store.db, query),
    verify: () => verifyChain(store.db),
    [Symbol.asyncDispose]: () => (closing ??= commits.drain().then(writer.close)),
  }
}
