/** Turns output of a shell into frames of the terminal socket, copying each byte once. */
import { terminalPayloadLimit } from '@sallyport/wire/limits.ts'
import { completeLength, frameHeaderLength, writeFrameHeader } from '@sallyport/wire/sockets/terminal.ts'
import { createMemoryPool } from '../tunnel/memory-pool.ts'

/** Room for the frames of one read of a network socket. */
const pool = createMemoryPool(80 * 1024, 32)
/** Output of less than this per turn is what people type and see; it takes no piece of the pool. */
const worthPooling = 4 * 1024
const longestHeader = frameHeaderLength(terminalPayloadLimit)

export interface Frames {
  frames: readonly Buffer[]
  /** To be called once all of them are sent. */
  release: () => void
}

export class OutputFrames {
  #pending: Buffer[] = []
  #length = 0

  /** Bytes that wait. */
  get length(): number {
    return this.#length
  }

  add(bytes: Buffer): void {
    this.#pending.push(bytes)
    this.#length += bytes.length
  }

  /**
   * Frames for all that waits but an incomplete UTF-8 character at its end, which waits for its rest unless this is
   * `final`. Bytes that are no UTF-8 pass as they are.
   */
  take(final = false): Frames[] {
    const batches: Frames[] = []
    while (this.#length > 0) {
      const batch = this.#takeBatch(final)
      if (!batch) break
      batches.push(batch)
    }
    return batches
  }

  /** As many frames as one piece of memory holds; undefined when only an incomplete character is left. */
  #takeBatch(final: boolean): Frames | undefined {
    const needed = this.#length + longestHeader * Math.ceil(this.#length / (terminalPayloadLimit - 3))
    const isPooled = needed > worthPooling
    const memory = isPooled ? pool.take() : Buffer.allocUnsafe(needed)
    const frames: Buffer[] = []
    let at = 0
    while (this.#length > 0 && at + longestHeader < memory.length) {
      const room = Math.min(terminalPayloadLimit, memory.length - at - longestHeader)
      const filled = this.#fill(memory, at + longestHeader, room)
      const payload = memory.subarray(at + longestHeader, at + longestHeader + filled)
      const isLast = this.#length === 0
      const complete = isLast && final ? filled : completeLength(payload, filled)
      if (complete < filled) this.#putBack(Buffer.from(payload.subarray(complete)))
      if (complete > 0) {
        const start = at + longestHeader - frameHeaderLength(complete)
        writeFrameHeader(memory, start, 'r', complete)
        frames.push(memory.subarray(start, at + longestHeader + complete))
      }
      at += longestHeader + complete
      if (isLast || complete === 0) break
    }
    const release = (): void => (isPooled ? pool.giveBack(memory) : undefined)
    if (frames.length > 0) return { frames, release }
    release()
    return undefined
  }

  /** Moves up to `room` waiting bytes to `memory`; returns how many. */
  #fill(memory: Buffer, at: number, room: number): number {
    let filled = 0
    let used = 0
    for (const bytes of this.#pending) {
      const taken = bytes.copy(memory, at + filled, 0, Math.min(bytes.length, room - filled))
      filled += taken
      if (taken < bytes.length) {
        this.#pending[used] = bytes.subarray(taken)
        break
      }
      used += 1
      if (filled === room) break
    }
    this.#pending.splice(0, used)
    this.#length -= filled
    return filled
  }

  #putBack(bytes: Buffer): void {
    this.#pending.unshift(bytes)
    this.#length += bytes.length
  }
}
