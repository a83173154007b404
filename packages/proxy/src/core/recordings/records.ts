/**
 * The records of one chunk's events block.
 *
 *   kind u8 (1 print, 2 event) | varint ms since the record before | varint length | for events: JSON of that length
 *
 * A print's bytes lie in the chunk's output block, in the order of the prints. The `ms` before the first record is
 * the chunk's first ms, so its own difference is 0.
 */
import { z } from 'zod'
import { damaged, RecordingError } from './recording-error.ts'
import type { ChunkHeader } from './format.ts'

const kindPrint = 1
const kindEvent = 2
/** Seven bytes of seven bits: more than any time or length here. */
const varintLimit = 7

/** One event of a recording as it was written: event type, code and fields, without ei and time. */
export type RecordedEvent = Readonly<Record<string, unknown>> & { readonly event: string }
const recordedEvent = z.looseObject({ event: z.string() })

/** `ms` counts from the start of the session. */
export type RecordingRecord =
  | { kind: 'print'; ei: number; ms: number; bytes: number; offset: number; chunk: number }
  | { kind: 'event'; ei: number; ms: number; event: RecordedEvent }

function varint(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80)
    rest = Math.floor(rest / 0x80)
  }
  bytes.push(rest)
  return bytes
}

export const encodePrint = (sinceBefore: number, length: number): Buffer =>
  Buffer.from([kindPrint, ...varint(sinceBefore), ...varint(length)])

export function encodeEvent(sinceBefore: number, event: RecordedEvent): Buffer {
  const json = Buffer.from(JSON.stringify(event))
  return Buffer.concat([Buffer.from([kindEvent, ...varint(sinceBefore), ...varint(json.length)]), json])
}

/** Throws RecordingError unless the bytes are exactly the records that the header announces. */
export function parseRecords(bytes: Buffer, header: ChunkHeader): RecordingRecord[] {
  const records: RecordingRecord[] = []
  let at = 0
  let ms = header.startMs
  let offset = header.streamOffset
  const number = (): number => {
    let value = 0
    for (let index = 0; index < varintLimit; index += 1) {
      const byte = bytes[at]
      if (byte === undefined) throw damaged('a record ends too early')
      at += 1
      value += (byte & 0x7f) * 2 ** (7 * index)
      if (byte < 0x80) return value
    }
    throw damaged('a number of a record is too long')
  }
  while (at < bytes.length) {
    const kind = bytes[at]
    at += 1
    ms += number()
    const length = number()
    const ei = header.firstEi + records.length
    if (kind === kindPrint) {
      records.push({ kind: 'print', ei, ms, bytes: length, offset, chunk: header.sequence })
      offset += length
    } else if (kind === kindEvent) {
      if (at + length > bytes.length) throw damaged('an event ends too early')
      records.push({ kind: 'event', ei, ms, event: parseEvent(bytes.toString('utf8', at, at + length)) })
      at += length
    } else throw damaged(`a record has the unknown kind ${kind}`)
  }
  const agrees = records.length === header.records && offset - header.streamOffset === header.output.raw && ms === header.endMs
  if (!agrees) throw damaged('a chunk and its header disagree')
  return records
}

function parseEvent(json: string): RecordedEvent {
  try {
    return recordedEvent.parse(JSON.parse(json))
  } catch (cause) {
    throw new RecordingError('damaged', 'The recording is damaged: one of its events cannot be read.', { cause })
  }
}
