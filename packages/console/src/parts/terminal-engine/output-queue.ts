/**
 * Bytes on their way to the terminal's parser. The parser gets a window of them at a time, so that it never holds
 * more than it accepts; who reads from a socket waits for `roomy()` before it reads on.
 */

/** Bytes that may be inside the parser at once. */
export const parserWindow = 128 * 1024
/**
 * Bytes waiting above which the reader should pause, and below which it may go on. They are shown before the answer to
 * a key is, so there are no more of them than the parser needs to keep busy.
 */
export const highWater = 384 * 1024
export const lowWater = 128 * 1024
/**
 * The high mark of a page in the background: browsers slow its timers down, and with them the parser, to a minute
 * per step. A build that goes on printing must not be held back by that.
 */
export const hiddenHighWater = 32 * 1024 * 1024

/** Parses the bytes and calls `done` when it has. */
export type ParserSink = (bytes: Uint8Array, done: () => void) => void

export class OutputQueue {
  readonly #sink: ParserSink
  readonly #hidden: () => boolean
  #waiting: Uint8Array[] = []
  #inParser = 0
  #total = 0
  #resume: (() => void)[] = []
  #empty: (() => void)[] = []
  #closed = false

  /** `hidden` tells whether the page is in the background. */
  constructor(sink: ParserSink, hidden: () => boolean = () => false) {
    this.#sink = sink
    this.#hidden = hidden
  }

  /** Bytes that are not parsed yet. */
  get pending(): number {
    return this.#total
  }

  push(bytes: Uint8Array): void {
    if (this.#closed || bytes.length === 0) return
    this.#waiting.push(bytes)
    this.#total += bytes.length
    this.#pump()
  }

  /** Resolves at once while there is room, else when enough has been parsed. */
  roomy(): Promise<void> | undefined {
    if (this.#closed || this.#total < (this.#hidden() ? hiddenHighWater : highWater)) return undefined
    return new Promise((resolve) => this.#resume.push(resolve))
  }

  /** Resolves when all that was pushed so far is parsed. */
  drained(): Promise<void> {
    if (this.#closed || this.#total === 0) return Promise.resolve()
    return new Promise((resolve) => this.#empty.push(resolve))
  }

  /** Forgets what the parser has not taken yet. */
  clear(): void {
    for (const bytes of this.#waiting) this.#total -= bytes.length
    this.#waiting = []
    this.#settle()
  }

  close(): void {
    this.clear()
    this.#closed = true
    this.#total = 0
    this.#settle()
  }

  #pump(): void {
    while (this.#inParser < parserWindow) {
      const bytes = this.#waiting.shift()
      if (bytes === undefined) return
      this.#inParser += bytes.length
      this.#sink(bytes, () => {
        if (this.#closed) return
        this.#inParser -= bytes.length
        this.#total -= bytes.length
        this.#settle()
        this.#pump()
      })
    }
  }

  #settle(): void {
    if (this.#total <= lowWater) for (const resolve of this.#resume.splice(0)) resolve()
    if (this.#total === 0) for (const resolve of this.#empty.splice(0)) resolve()
  }
}
