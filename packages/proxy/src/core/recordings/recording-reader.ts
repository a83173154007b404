/** Reads one recording, finished or running, without reading more of it than is asked for. */
import { unpackBlock } from './blocks.ts'
import type { ChunkIndex, IndexedChunk } from './chunk-index.ts'
import { chunkHeaderLength, chunkLength } from './format.ts'
import { parseRecords } from './records.ts'
import type { RecordedEvent, RecordingRecord } from './records.ts'
import type { RandomBytes } from './random-bytes.ts'
import { damaged } from './recording-error.ts'
import type { SealedFacts } from './seal.ts'

/** What ends a session, by its kind. */
export const endEvents: ReadonlySet<string> = new Set(['session.end', 'windows.desktop.session.end'])
/** Chunks are read together up to this many bytes when their events are wanted. */
const spanLimit = 1024 * 1024

export class RecordingReader implements AsyncDisposable {
  readonly #file: RandomBytes
  readonly #index: ChunkIndex

  constructor(file: RandomBytes, index: ChunkIndex) {
    this.#file = file
    this.#index = index
  }

  get sid(): string {
    return this.#index.file.sid
  }

  /** Epoch milliseconds. */
  get start(): number {
    return this.#index.file.start
  }

  get complete(): boolean {
    return this.#index.complete
  }

  /** Whether nothing was flushed yet. */
  get isEmpty(): boolean {
    return this.#index.chunks.length === 0
  }

  /** What names these very bytes: the digest that all of them went into. */
  get digest(): string {
    return this.#index.previous.toString('hex')
  }

  /** What a seal stands for. */
  get facts(): SealedFacts {
    return { sid: this.sid, start: this.start, digest: this.digest, bytes: this.#index.end }
  }

  /** Bytes of output. */
  get length(): number {
    const last = this.#index.chunks.at(-1)?.header
    return last ? last.streamOffset + last.output.raw : 0
  }

  /** The index that the next record will have. */
  get nextEi(): number {
    const last = this.#index.chunks.at(-1)?.header
    return last ? last.firstEi + last.records : 0
  }

  /** Milliseconds from the start to the last record. */
  get durationMs(): number {
    return this.#index.chunks.at(-1)?.header.endMs ?? 0
  }

  /** The index of a record so early that all from it on up to `ms`, and little more, follow. Nothing is read for that. */
  eiAt(ms: number): number {
    return this.#index.chunks.findLast(({ header }) => header.records > 0 && header.startMs <= ms)?.header.firstEi ?? 0
  }

  /** Records from the given index on, oldest first. Throws RecordingError where the recording is damaged. */
  async *records(fromEi = 0): AsyncGenerator<RecordingRecord> {
    const chunks = this.#index.chunks.filter(({ header }) => header.firstEi + header.records > fromEi)
    for (const span of spansOf(chunks)) {
      const bytes = await this.#file.readAt(span.position, span.length)
      for (const { header, position } of span.chunks) {
        const from = position - span.position + chunkHeaderLength
        for (const record of parseRecords(await unpackBlock(bytes.subarray(from, from + header.events.stored), header.events), header))
          if (record.ei >= fromEi) yield record
      }
    }
  }

  /** Up to `length` bytes of output from `offset` on, in pieces; nothing when the offset lies behind the end. */
  async *stream(offset: number, length: number): AsyncGenerator<Buffer> {
    const until = offset + length
    for (const { header, position } of this.#index.chunks.slice(this.#chunkAt(offset))) {
      const { streamOffset, output, events } = header
      if (streamOffset >= until) return
      if (output.raw === 0 || streamOffset + output.raw <= offset) continue
      const stored = await this.#file.readAt(position + chunkHeaderLength + events.stored, output.stored)
      const raw = await unpackBlock(stored, output)
      yield raw.subarray(Math.max(0, offset - streamOffset), Math.min(raw.length, until - streamOffset))
    }
  }

  /**
   * Everything, chunk by chunk: its records and the output that its prints are cut from, one after the other. It begins
   * with the chunk that has the given record.
   */
  async *chunks(fromEi = 0): AsyncGenerator<{ records: RecordingRecord[]; output: Buffer }> {
    for (const { header, position } of this.#index.chunks) {
      if (header.firstEi + header.records <= fromEi) continue
      const stored = await this.#file.readAt(position + chunkHeaderLength, header.events.stored + header.output.stored)
      const events = await unpackBlock(stored.subarray(0, header.events.stored), header.events)
      const output = await unpackBlock(stored.subarray(header.events.stored), header.output)
      yield { records: parseRecords(events, header), output }
    }
  }

  /** The event that ended the session, when the recording holds one; it is in the last chunk that has records. */
  async endEvent(): Promise<RecordedEvent | undefined> {
    const last = this.#index.chunks.findLast(({ header }) => header.records > 0)
    if (!last) return undefined
    for await (const record of this.records(last.header.firstEi))
      if (record.kind === 'event' && endEvents.has(record.event.event)) return record.event
    return undefined
  }

  /** The first event: what was known when the session started. Throws RecordingError when there is none. */
  async startEvent(): Promise<RecordedEvent> {
    for await (const record of this.records()) if (record.kind === 'event') return record.event
    throw damaged('it has no beginning')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file[Symbol.asyncDispose]()
  }

  /** Index of the chunk that holds the byte at `offset`. */
  #chunkAt(offset: number): number {
    let low = 0
    let high = this.#index.chunks.length
    while (low < high) {
      const middle = (low + high) >> 1
      const header = this.#index.chunks[middle]?.header
      if (header && header.streamOffset + header.output.raw <= offset) low = middle + 1
      else high = middle
    }
    return low
  }
}

interface Span {
  position: number
  length: number
  chunks: IndexedChunk[]
}

function spansOf(chunks: readonly IndexedChunk[]): Span[] {
  const spans: Span[] = []
  for (const chunk of chunks) {
    const length = chunkLength(chunk.header)
    const span = spans.at(-1)
    if (span && span.length + length <= spanLimit) {
      span.length += length
      span.chunks.push(chunk)
    } else spans.push({ position: chunk.position, length, chunks: [chunk] })
  }
  return spans
}
