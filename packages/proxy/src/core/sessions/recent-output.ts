/** The last output of a session, replayed to whoever joins. It takes memory only for what there was. */
const limit = 64 * 1024
const smallest = 1024

export class RecentOutput {
  #buffer = Buffer.alloc(0)
  #length = 0
  /** Where the next byte goes once the buffer has its full size and is used as a ring. */
  #next = 0

  push(bytes: Buffer): void {
    const added = bytes.length > limit ? bytes.subarray(bytes.length - limit) : bytes
    this.#reserve(this.#length + added.length)
    const size = this.#buffer.length
    const first = Math.min(added.length, size - this.#next)
    added.copy(this.#buffer, this.#next, 0, first)
    added.copy(this.#buffer, 0, first)
    this.#next = (this.#next + added.length) % size
    this.#length = Math.min(size, this.#length + added.length)
  }

  /** A copy, beginning with a whole UTF-8 character. */
  bytes(): Buffer {
    if (this.#length === 0) return Buffer.alloc(0)
    const size = this.#buffer.length
    const from = (this.#next - this.#length + size) % size
    const bytes =
      from < this.#next
        ? Buffer.from(this.#buffer.subarray(from, this.#next))
        : Buffer.concat([this.#buffer.subarray(from), this.#buffer.subarray(0, this.#next)])
    let start = 0
    while (this.#length === limit && start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1
    return bytes.subarray(start)
  }

  #reserve(needed: number): void {
    const size = this.#buffer.length
    if (needed <= size || size === limit) return
    let grown = Math.max(smallest, size)
    while (grown < needed && grown < limit) grown *= 2
    const kept = this.bytes()
    this.#buffer = Buffer.allocUnsafeSlow(grown)
    kept.copy(this.#buffer)
    this.#length = kept.length
    this.#next = kept.length % grown
  }
}
