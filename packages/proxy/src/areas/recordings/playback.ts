/** What players get of a recording: its events, with the print that they count time from, and its bytes. */
import type { AuditEventWire } from '@sallyport/wire/audit/event.ts'
import type { RecordingReader } from '../../core/recordings/recording-reader.ts'
import type { RecordingRecord } from '../../core/recordings/records.ts'

/**
 * Events with an index of at least `after`, oldest first. Times are the session's start plus the time that had
 * passed, so that they agree with the `ms` of prints even when the wall clock was moved in between.
 */
export async function eventsOf(reader: RecordingReader, after = 0): Promise<AuditEventWire[]> {
  const time = (ms: number): string => new Date(reader.start + ms).toISOString()
  const events: AuditEventWire[] = []
  let hasPrint = after > 0
  for await (const record of reader.records(after)) {
    const isEnd = record.kind === 'event' && record.event.event === 'session.end'
    // Players take the first print's time without looking whether there is one.
    if (isEnd && !hasPrint) events.push({ ei: record.ei, event: 'print', time: time(0), ci: 0, bytes: 0, ms: 0, offset: 0 })
    hasPrint ||= record.kind === 'print'
    events.push(toWire(record, time(record.ms)))
  }
  return events
}

function toWire(record: RecordingRecord, time: string): AuditEventWire {
  if (record.kind === 'event') return { ...record.event, ei: record.ei, time }
  const { ei, ms, bytes, offset, chunk } = record
  return { ei, event: 'print', time, ci: chunk, bytes, ms, offset }
}
