import type { AuditDisplay } from '@sallyport/wire/audit/catalogue.ts'

/**
 * A cell of a CSV file, always quoted. Spreadsheets run texts that begin with = + - @ tab or return as formulas, and
 * what people typed may stand in an event: such a text gets an apostrophe in front.
 */
export function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return `"${safe.replaceAll('"', '""')}"`
}

const header = ['time', 'code', 'event', 'type', 'user', 'message', 'id']

/** The events as CSV, times in UTC. */
export function toCsv(events: readonly AuditDisplay[]): string {
  const rows = events.map((event) => [event.raw.time, event.code, event.raw.event, event.codeDesc, event.user, event.message, event.id])
  return [header, ...rows].map((row) => row.map(csvCell).join(',')).join('\r\n') + '\r\n'
}

/** The events as they came, one JSON object per line. */
export function toJsonLines(events: readonly AuditDisplay[]): string {
  return events.map((event) => JSON.stringify(event.raw) + '\n').join('')
}
