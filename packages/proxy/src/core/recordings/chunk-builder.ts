/** Gathers records until they are written as one chunk. */
import { encodeEvent, encodePrint } from './records.ts'
import type { RecordedEvent } from './records.ts'
import { Staging } from './staging.ts'

/** Output within this many milliseconds is one print; the finest step of players is as long. */
const printWindow = 10
/** What one more record costs beside its bytes. */
const recordOverhead = 64

export interface PendingChunk {
  firstEi: number
  records: number
  startMs: number
  endMs: number
  events: Buffer[]
  output: Staging
  /** Bytes of `events`. */
  eventsLength: number
}

/** Bytes of memory that a chunk holds, roughly. */
export const heldBy = ({ eventsLength, output }: PendingChunk): number => eventsLength + output.length

export class ChunkBuilder {
  #nextEi: number
  #chunk: PendingChunk | undefined
  #open: { ms: number; length: number } | undefined

  constructor(nextEi: number) {
    this.#nextEi = nextEi
  }

  get held(): number {
    return this.#chunk ? heldBy(this.#chunk) : 0
  }

  /** Adds as much of `bytes` as the chunk has room for and returns the rest; a rest means that the chunk is full. */
  print(ms: number, bytes: Buffer): Buffer {
    const chunk = this.#chunkFor(ms)
    const taken = chunk.output.add(bytes)
    if (taken > 0) {
      const open = this.#open
      if (open && ms - open.ms < printWindow) open.length += taken
      else {
        this.#closePrint()
        this.#open = { ms, length: taken }
        this.#nextEi += 1
        chunk.records += 1
      }
    }
    return bytes.subarray(taken)
  }

  /** Returns the event's index. */
  event(ms: number, event: RecordedEvent): number {
    const chunk = this.#chunkFor(ms)
    this.#closePrint()
    const encoded = encodeEvent(Math.max(0, ms - chunk.endMs), event)
    chunk.events.push(encoded)
    chunk.eventsLength += encoded.length + recordOverhead
    chunk.endMs = Math.max(ms, chunk.endMs)
    chunk.records += 1
    this.#nextEi += 1
    return this.#nextEi - 1
  }

  /** What was gathered, or undefined when there is nothing. The builder starts anew. */
  take(): PendingChunk | undefined {
    this.#closePrint()
    const chunk = this.#chunk
    this.#chunk = undefined
    return chunk
  }

  /** A chunk without records, to end a recording with. */
  empty(ms: number): PendingChunk {
    return { firstEi: this.#nextEi, records: 0, startMs: ms, endMs: ms, events: [], output: new Staging(), eventsLength: 0 }
  }

  #chunkFor(ms: number): PendingChunk {
    this.#chunk ??= this.empty(ms)
    return this.#chunk
  }

  #closePrint(): void {
    const open = this.#open
    const chunk = this.#chunk
    this.#open = undefined
    if (!open || !chunk) return
    const encoded = encodePrint(Math.max(0, open.ms - chunk.endMs), open.length)
    chunk.events.push(encoded)
    chunk.eventsLength += encoded.length + recordOverhead
    chunk.endMs = Math.max(open.ms, chunk.endMs)
  }
}
