/**
 * The last output of a session, for whoever joins or comes back. Every byte has a place in the session's output, counted
 * from its start. It takes memory only for what there was.
 */
import { TerminalModes } from './terminal-modes.ts'

const smallest = 1024
/** Kept while somebody sees the output, and given to those who come back. */
const attendedLimit = 256 * 1024
/** Kept while its owner is on the way back. */
export const unattendedLimit = 1024 * 1024
/** Given to those who join: many screens full. */
const replayed = 64 * 1024

export interface Replay {
  /** Place of the first byte. */
  readonly offset: number
  /** State of the terminal before that byte, for one that has not seen what came before; empty when there was nothing. */
  readonly modes: Buffer
  readonly bytes: Buffer
  /** Whether a full-screen program drew things that are not in it. */
  readonly isPartial: boolean
}

export class RecentOutput {
  #limit = attendedLimit
  #buffer = Buffer.alloc(0)
  #length = 0
  /** Where the next byte goes once the buffer has its full size and is used as a ring. */
  #next = 0
  #end = 0
  /** As it was before the first byte that is kept. */
  readonly #before = new TerminalModes()

  /** Place after the last byte. */
  get end(): number {
    return this.#end
  }

  /** Place of the first byte that is kept. */
  get start(): number {
    return this.#end - this.#length
  }

  /** Keeps more while nobody sees the output; less again afterwards. */
  set isUnattended(isUnattended: boolean) {
    this.#limit = isUnattended ? unattendedLimit : attendedLimit
    if (this.#buffer.length <= this.#limit) return
    const kept = this.#lastBytes(this.#length)
    const dropped = Math.max(0, kept.length - this.#limit)
    this.#before.feed(kept.subarray(0, dropped))
    this.#hold(kept.subarray(dropped), this.#limit)
  }

  push(bytes: Buffer): void {
    this.#end += bytes.length
    this.#reserve(this.#length + bytes.length)
    const size = this.#buffer.length
    this.#forget(Math.min(this.#length, this.#length + bytes.length - size))
    const skipped = Math.max(0, bytes.length - size)
    if (skipped > 0) this.#before.feed(bytes.subarray(0, skipped))
    const added = bytes.subarray(skipped)
    const first = Math.min(added.length, size - this.#next)
    added.copy(this.#buffer, this.#next, 0, first)
    added.copy(this.#buffer, 0, first)
    this.#next = (this.#next + added.length) % size
    this.#length += added.length
  }

  /** For somebody who has seen nothing: a copy of the last output, beginning with a whole UTF-8 character. */
  replay(): Replay {
    const all = this.#lastBytes(this.#length)
    let from = Math.max(0, all.length - replayed)
    if (this.start + from > 0) from += restOfCharacter(all, from)
    return this.#replayFrom(all, from)
  }

  /** For somebody who has seen all output up to a place: the rest, or as much of it as is kept. */
  since(offset: number): Replay {
    if (offset > this.#end) return this.replay()
    return this.#replayFrom(this.#lastBytes(this.#length), Math.max(0, offset - this.start))
  }

  get isAlternateScreen(): boolean {
    const modes = this.#before.copy()
    modes.feed(this.#lastBytes(this.#length))
    return modes.isAlternateScreen
  }

  #replayFrom(all: Buffer, from: number): Replay {
    const offset = this.start + from
    const modes = this.#before.copy()
    modes.feed(all.subarray(0, from))
    const wasAlternate = modes.isAlternateScreen
    const bytes = all.subarray(from)
    const prefix = offset === 0 ? Buffer.alloc(0) : modes.toBytes()
    modes.feed(bytes)
    return { offset, modes: prefix, bytes, isPartial: wasAlternate && modes.isAlternateScreen }
  }

  /** A copy of the last bytes that are kept. */
  #lastBytes(count: number): Buffer {
    const size = this.#buffer.length
    if (count <= 0 || size === 0) return Buffer.alloc(0)
    const from = (this.#next - count + size) % size
    return from < this.#next
      ? Buffer.from(this.#buffer.subarray(from, this.#next))
      : Buffer.concat([this.#buffer.subarray(from), this.#buffer.subarray(0, this.#next)])
  }

  /** Lets go of the oldest bytes. */
  #forget(count: number): void {
    if (count <= 0) return
    const size = this.#buffer.length
    const from = (this.#next - this.#length + size) % size
    this.#before.feed(this.#buffer.subarray(from, Math.min(size, from + count)))
    if (from + count > size) this.#before.feed(this.#buffer.subarray(0, from + count - size))
    this.#length -= count
  }

  #reserve(needed: number): void {
    const size = this.#buffer.length
    if (needed <= size || size >= this.#limit) return
    let grown = Math.max(smallest, size)
    while (grown < needed && grown < this.#limit) grown *= 2
    this.#hold(this.#lastBytes(this.#length), grown)
  }

  #hold(kept: Buffer, size: number): void {
    this.#buffer = Buffer.allocUnsafeSlow(size)
    kept.copy(this.#buffer)
    this.#length = kept.length
    this.#next = kept.length % size
  }
}

/** Bytes from a place on that end a UTF-8 character which began before it. */
function restOfCharacter(bytes: Buffer, at: number): number {
  let length = 0
  while (length < 3 && ((bytes[at + length] ?? 0) & 0xc0) === 0x80) length += 1
  return length
}
