/** Recordings in forms that other programs read. Both are made chunk by chunk, however long the recording is. */
import { OutputLines } from '@sallyport/protocols/terminal/output-lines.ts'
import type { RecordingReader } from './recording-reader.ts'
import type { RecordedEvent, RecordingRecord } from './records.ts'

export type ExportFormat = 'cast' | 'text'

export const exportRecording = (reader: RecordingReader, format: ExportFormat): AsyncGenerator<string> =>
  format === 'cast' ? asciicast(reader) : plainText(reader)

const sizeOf = (event: RecordedEvent): [width: number, height: number] | undefined => {
  const [width = 0, height = 0] = String(event['size'] ?? '')
    .split(':')
    .map(Number)
  return width > 0 && height > 0 ? [width, height] : undefined
}

/** asciicast v2: a header, then one line per output, resize or marker. */
async function* asciicast(reader: RecordingReader): AsyncGenerator<string> {
  const start = await reader.startEvent()
  const [width, height] = sizeOf(start) ?? [80, 25]
  const title = [start['login'] ?? start['user'], start['server_hostname'] ?? start['kubernetes_cluster']].filter(Boolean).join('@')
  yield `${JSON.stringify({ version: 2, width, height, timestamp: Math.floor(reader.start / 1000), ...(title && { title }) })}\n`
  const decoder = new TextDecoder()
  for await (const { records, output } of reader.chunks()) {
    let at = 0
    let lines = ''
    for (const record of records) {
      if (record.kind === 'print') {
        // A character that is cut belongs to the print that completes it.
        const text = decoder.decode(output.subarray(at, at + record.bytes), { stream: true })
        at += record.bytes
        if (text !== '') lines += castLine(record.ms, 'o', text)
      } else lines += eventLine(record)
    }
    if (lines !== '') yield lines
  }
}

const castLine = (ms: number, kind: 'o' | 'r' | 'm', text: string): string => `${JSON.stringify([ms / 1000, kind, text])}\n`

function eventLine({ ms, event }: Extract<RecordingRecord, { kind: 'event' }>): string {
  const size = sizeOf(event)
  if (event.event === 'resize' && size) return castLine(ms, 'r', size.join('x'))
  if (event.event === 'session.join') return castLine(ms, 'm', `${String(event['user'])} joined`)
  if (event.event === 'session.leave') return castLine(ms, 'm', `${String(event['user'])} left`)
  return ''
}

async function* plainText(reader: RecordingReader): AsyncGenerator<string> {
  let found = ''
  const lines = new OutputLines(({ text }) => (found += `${text}\n`))
  const take = (): string => {
    const text = found
    found = ''
    return text
  }
  for await (const { records, output } of reader.chunks()) {
    let at = 0
    for (const record of records) {
      if (record.kind !== 'print') continue
      lines.push(output.subarray(at, at + record.bytes), record.ms)
      at += record.bytes
    }
    if (found !== '') yield take()
  }
  lines.end()
  if (found !== '') yield take()
}
