import type { RecordingReader } from './recording-reader.ts'

/** Everybody who was in the session, for permissions that ask for it. */
export async function participantsOf(reader: RecordingReader): Promise<string[]> {
  const listed = (await reader.endEvent())?.['participants']
  if (Array.isArray(listed)) return listed.map(String)
  const found = new Set<string>()
  for await (const record of reader.records())
    if (record.kind === 'event' && ['session.start', 'session.join'].includes(record.event.event))
      found.add(String(record.event['user'] ?? ''))
  return [...found]
}
