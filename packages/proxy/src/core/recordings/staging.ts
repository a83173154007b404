/**
 * Output that waits to be written, copied together as it comes. The pieces that a network delivers are then free at
 * once, and a terminal in which nothing happens holds nothing.
 */
import { createMemoryPool } from '../tunnel/memory-pool.ts'
import { chunkOutputLimit } from './format.ts'

const smallest = 4 * 1024
const pool = createMemoryPool(chunkOutputLimit, 16)

export class Staging {
  #memory = Buffer.alloc(0)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Bytes of memory in use. */
  get held(): number {
    return this.#memory.length
  }

  /** Copies as much as a chunk has room for; returns how many bytes. */
  add(bytes: Buffer): number {
    const taken = Math.min(bytes.length, chunkOutputLimit - this.#length)
    this.#reserve(this.#length + taken)
    bytes.copy(this.#memory, this.#length, 0, taken)
    this.#length += taken
    return taken
  }

  /** What was copied. Nothing may be added any more; `release` when it is of no more use. */
  bytes(): Buffer {
    return this.#memory.subarray(0, this.#length)
  }

  release(): void {
    const memory = this.#memory
    this.#memory = Buffer.alloc(0)
    this.#length = 0
    if (memory.length === pool.size) pool.giveBack(memory)
  }

  #reserve(needed: number): void {
    if (needed <= this.#memory.length) return
    let size = Math.max(smallest, this.#memory.length)
    while (size < needed) size *= 4
    const grown = size >= pool.size ? pool.take() : Buffer.allocUnsafeSlow(size)
    this.#memory.copy(grown, 0, 0, this.#length)
    this.#memory = grown
  }
}
