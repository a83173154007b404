/** Reads bytes of a recording's stream in pieces of the size that the server gives at most, a few of them kept. */

export type FetchPiece = (offset: number, bytes: number, signal: AbortSignal) => Promise<Uint8Array>

export class StreamPieces {
  readonly #fetch: FetchPiece
  readonly #size: number
  readonly #kept: number
  readonly #pieces = new Map<number, Promise<Uint8Array>>()
  readonly #abort = new AbortController()

  /** `kept` bounds the memory: at most that many pieces of `size` bytes stay. */
  constructor(fetch: FetchPiece, size: number, kept = 6) {
    this.#fetch = fetch
    this.#size = size
    this.#kept = kept
  }

  /** The bytes from `offset` on; fewer than asked where the stream ends early. */
  async read(offset: number, bytes: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = []
    const end = offset + bytes
    for (let at = offset; at < end;) {
      const index = Math.floor(at / this.#size)
      const piece = await this.#piece(index)
      const from = at - index * this.#size
      const part = piece.subarray(from, Math.min(piece.length, from + end - at))
      if (part.length === 0) break
      parts.push(part)
      at += part.length
    }
    const [first] = parts
    if (first && parts.length === 1) return first
    const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
    let at = 0
    for (const part of parts) {
      all.set(part, at)
      at += part.length
    }
    return all
  }

  /** Begins to fetch the piece at `offset`, so that playing into it does not wait. */
  prefetch(offset: number): void {
    this.#piece(Math.floor(offset / this.#size)).catch(() => undefined) // who reads it hears of the failure
  }

  close(): void {
    this.#abort.abort()
    this.#pieces.clear()
  }

  #piece(index: number): Promise<Uint8Array> {
    const known = this.#pieces.get(index)
    if (known) {
      this.#pieces.delete(index)
      this.#pieces.set(index, known)
      return known
    }
    const piece = this.#fetch(index * this.#size, this.#size, this.#abort.signal)
    this.#pieces.set(index, piece)
    piece.catch(() => this.#pieces.delete(index)) // a failed piece is fetched anew the next time
    const [oldest] = this.#pieces.keys()
    if (this.#pieces.size > this.#kept && oldest !== undefined) this.#pieces.delete(oldest)
    return piece
  }
}
