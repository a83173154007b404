import type { AuditDisplay } from '@sallyport/wire/audit/catalogue.ts'
import { csvOf } from '../../parts/list/csv.ts'

const header = ['time', 'code', 'event', 'type', 'user', 'message', 'id']

/** The events as CSV, times in UTC. */
export function toCsv(events: readonly AuditDisplay[]): string {
  const rows = events.map((event) => [event.raw.time, event.code, event.raw.event, event.codeDesc, event.user, event.message, event.id])
  return csvOf([header, ...rows])
}

/** The events as they came, one JSON object per line. */
export function toJsonLines(events: readonly AuditDisplay[]): string {
  return events.map((event) => JSON.stringify(event.raw) + '\n').join('')
}
