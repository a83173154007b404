import type { RecordingReader } from './recording-reader.ts'

/** What tells of somebody in it. */
const joining: ReadonlySet<string> = new Set(['session.start', 'session.join', 'windows.desktop.session.start'])

/** Who was in a session up to a record. */
export interface PeopleSoFar {
  people: string[]
  nextEi: number
}

/** Everybody who was in the session, for permissions that ask for it. */
export async function participantsOf(reader: RecordingReader): Promise<string[]> {
  const listed = (await reader.endEvent())?.['participants']
  return Array.isArray(listed) ? listed.map(String) : (await peopleSoFar(reader)).people
}

/** The same of a session that still runs; what was read before is not read again. */
export async function peopleSoFar(reader: RecordingReader, before: PeopleSoFar = { people: [], nextEi: 0 }): Promise<PeopleSoFar> {
  const people = new Set(before.people)
  for await (const record of reader.records(before.nextEi))
    if (record.kind === 'event' && joining.has(record.event.event)) people.add(String(record.event['user'] ?? ''))
  return { people: [...people], nextEi: reader.nextEi }
}
