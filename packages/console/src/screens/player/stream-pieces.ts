/** Reads bytes of a recording's stream in pieces, a few of which are kept. */

export type FetchPiece = (offset: number, bytes: number, signal: AbortSignal) => Promise<Uint8Array>

/** Where the piece begins that holds a byte, and how long it is. */
export type Cut = (offset: number) => { from: number; bytes: number }

/** Pieces of one size. */
export const evenly =
  (size: number): Cut =>
  (offset) => ({ from: Math.floor(offset / size) * size, bytes: size })

/** From one of the places (ascending, the first at the beginning) to the next, `most` bytes at once. */
export const between =
  (places: readonly { offset: number }[], end: number, most: number): Cut =>
  (offset) => {
    const number = places.findLastIndex((place) => place.offset <= offset)
    const begin = places[number]?.offset ?? 0
    const from = begin + Math.floor((offset - begin) / most) * most
    return { from, bytes: Math.max(1, Math.min(most, (places[number + 1]?.offset ?? end) - from)) }
  }

export class StreamPieces {
  readonly #fetch: FetchPiece
  readonly #cut: Cut
  readonly #kept: number
  readonly #pieces = new Map<number, Promise<Uint8Array>>()
  readonly #abort = new AbortController()

  /** `kept` bounds the memory: at most that many pieces stay. */
  constructor(fetch: FetchPiece, cut: Cut, kept: number) {
    this.#fetch = fetch
    this.#cut = cut
    this.#kept = kept
  }

  /** The bytes from `offset` on; fewer than asked where the stream ends early. */
  async read(offset: number, bytes: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = []
    const end = offset + bytes
    for (let at = offset; at < end;) {
      const { from, bytes: size } = this.#cut(at)
      const known = await this.#piece(at)
      const piece = known.length < Math.min(size, end - from) ? await this.#goOn(from, known, size) : known
      const part = piece.subarray(at - from, end - from)
      if (part.length === 0) break
      parts.push(part)
      at += part.length
    }
    return join(parts)
  }

  /** Begins to fetch the piece at `offset`, so that playing into it does not wait. */
  prefetch(offset: number): void {
    this.#piece(offset).catch(() => undefined) // who reads it hears of the failure
  }

  close(): void {
    this.#abort.abort()
    this.#pieces.clear()
  }

  /** A piece that ended where the stream did then; a running session has written more since. */
  #goOn(from: number, known: Uint8Array, size: number): Promise<Uint8Array> {
    const longer = this.#fetch(from + known.length, size - known.length, this.#abort.signal).then((rest) => join([known, rest]))
    return this.#keep(from, longer)
  }

  #piece(offset: number): Promise<Uint8Array> {
    const { from, bytes } = this.#cut(offset)
    const known = this.#pieces.get(from)
    if (known) {
      this.#pieces.delete(from)
      this.#pieces.set(from, known)
      return known
    }
    const piece = this.#keep(from, this.#fetch(from, bytes, this.#abort.signal))
    const [oldest] = this.#pieces.keys()
    if (this.#pieces.size > this.#kept && oldest !== undefined) this.#pieces.delete(oldest)
    return piece
  }

  #keep(from: number, piece: Promise<Uint8Array>): Promise<Uint8Array> {
    this.#pieces.set(from, piece)
    piece.catch(() => this.#pieces.delete(from)) // a failed piece is fetched anew the next time
    return piece
  }
}

function join(parts: readonly Uint8Array[]): Uint8Array {
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
