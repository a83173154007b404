import { severityOf } from '@sallyport/wire/audit/event.ts'
import type { Severity } from '@sallyport/wire/audit/event.ts'
import type { AuditDisplay } from '@sallyport/wire/audit/catalogue.ts'
import { formatDate } from '../../ui/dates.ts'
import type { Zone } from '../../ui/dates.ts'
import type { Status } from '../../ui/StatusGlyph.tsx'

export const severities = ['info', 'warning', 'error'] as const satisfies readonly Severity[]
export const severityStatus: Record<Severity, Status> = { info: 'info', warning: 'warn', error: 'danger' }
export const severityName: Record<Severity, string> = { info: 'Info', warning: 'Warnings', error: 'Errors' }

/** A stretch of the histogram, epoch ms; the end is not part of it. */
export interface Span {
  from: number
  to: number
}

export interface AuditFilter {
  text: string
  /** Empty means all. */
  severities: readonly Severity[]
  span: Span | undefined
  zone: Zone
  dateTimeFormat: string
}

/** The loaded events that a filter leaves: every word must stand in code, type, time as shown, user, message or id. */
export function filterEvents(events: readonly AuditDisplay[], filter: AuditFilter): AuditDisplay[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean)
  const { span } = filter
  return events.filter((event) => {
    if (filter.severities.length > 0 && !filter.severities.includes(severityOf(event.code))) return false
    if (span && (event.time.getTime() < span.from || event.time.getTime() >= span.to)) return false
    if (words.length === 0) return true
    const text = [
      event.code,
      event.codeDesc,
      event.raw.event,
      formatDate(event.time, filter.dateTimeFormat, filter.zone),
      event.user,
      event.message,
      event.id,
      sidOf(event),
    ]
      .join(' ')
      .toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

/** The session an event belongs to; empty when none. */
export const sidOf = (event: AuditDisplay): string => (typeof event.raw['sid'] === 'string' ? event.raw['sid'] : '')

export function countBySeverity(events: readonly AuditDisplay[]): Record<Severity, number> {
  const counts = { info: 0, warning: 0, error: 0 }
  for (const event of events) counts[severityOf(event.code)] += 1
  return counts
}

export interface Bucket {
  from: number
  to: number
  counts: Record<Severity, number>
}

/** Events per equal slice of a stretch of time. */
export function histogram(events: readonly AuditDisplay[], from: number, to: number, count: number): Bucket[] {
  const width = Math.max(1, (to - from) / count)
  const buckets: Bucket[] = Array.from({ length: count }, (_, index) => ({
    from: from + index * width,
    to: from + (index + 1) * width,
    counts: { info: 0, warning: 0, error: 0 },
  }))
  for (const event of events) {
    const bucket = buckets[Math.floor((event.time.getTime() - from) / width)]
    if (bucket) bucket.counts[severityOf(event.code)] += 1
  }
  return buckets
}
