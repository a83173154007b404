/**
 * Bytes on their way to the terminal's parser. The parser gets them in steps, each so large that it takes about as long
 * as a frame of a film: the page stays quick to answer keys, and is not drawn more often than anybody can see. Who reads
 * from a socket waits for `roomy()` before it reads on.
 */

/** How long a step should take (ms), and how many bytes it may have. */
export const step = { takes: 40, least: 16 * 1024, first: 64 * 1024, most: 1024 * 1024 } as const
/** A step of so many bytes is part of a flood: the next one waits until it is large, or that time has passed. */
const flood = 32 * 1024
/**
 * Steps that wait above which the reader should pause, and below which it may go on. They are shown before the answer to
 * a key is, so there are no more of them than the parser needs to keep busy.
 */
const highWater = 3
const lowWater = 2
/**
 * The high mark of a page in the background, in bytes: browsers slow its timers down, and with them the parser, to a
 * minute per step. A build that goes on printing must not be held back by that.
 */
export const hiddenHighWater = 32 * 1024 * 1024

/** Parses the bytes and calls `done` when it has. */
export type ParserSink = (bytes: Uint8Array, done: () => void) => void

export interface OutputQueueOptions {
  /** Whether the page is in the background. */
  hidden?: () => boolean
  /** Milliseconds. */
  now?: () => number
  /** Lets the page draw and answer keys before it goes on. */
  breathe?: (next: () => void) => void
}

export class OutputQueue {
  /** Called after every step. */
  onParsed: (() => void) | undefined
  readonly #sink: ParserSink
  readonly #hidden: () => boolean
  readonly #now: () => number
  readonly #breathe: (next: () => void) => void
  #waiting: Uint8Array[] = []
  #step: number = step.first
  /** Bytes of a step that came in pieces. */
  #joined = new Uint8Array(0)
  #isBusy = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #total = 0
  #resume: (() => void)[] = []
  #empty: (() => void)[] = []
  #closed = false

  constructor(sink: ParserSink, { hidden = () => false, now = () => performance.now(), breathe = nextTask }: OutputQueueOptions = {}) {
    this.#sink = sink
    this.#hidden = hidden
    this.#now = now
    this.#breathe = breathe
  }

  /** Bytes that are not parsed yet. */
  get pending(): number {
    return this.#total
  }

  /** Those of them that should show by now: a page in the background shows nothing, and need not. */
  get owed(): number {
    return this.#hidden() ? Math.max(0, this.#total - hiddenHighWater) : this.#total
  }

  /** Bytes above which a reader has to wait. */
  get limit(): number {
    return this.#hidden() ? hiddenHighWater : highWater * this.#step
  }

  push(bytes: Uint8Array): void {
    if (this.#closed || bytes.length === 0) return
    this.#waiting.push(bytes)
    this.#total += bytes.length
    if (!this.#isBusy) this.#take()
    else if (this.#total >= this.#size) this.#endRest()
  }

  /** Resolves at once while there is room, else when enough has been parsed. */
  roomy(): Promise<void> | undefined {
    if (this.#closed || this.#total < this.limit) return undefined
    return new Promise((resolve) => this.#resume.push(resolve))
  }

  /** Resolves when all that was pushed so far is parsed. */
  drained(): Promise<void> {
    if (this.#closed || this.#total === 0) return Promise.resolve()
    this.#endRest()
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

  /** Bytes of a step. A page in the background gets one in a second, and draws none. */
  get #size(): number {
    return this.#hidden() ? step.most : this.#step
  }

  #endRest(): void {
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#breathe(() => this.#take())
  }

  #take(): void {
    this.#timer = undefined
    const size = this.#size
    const bytes = this.#nextStep(size)
    this.#isBusy = bytes !== undefined
    if (!bytes) return
    const { length } = bytes
    const began = this.#now()
    this.#sink(bytes, () => {
      if (this.#closed) return
      if (length === this.#step && !this.#hidden()) this.#adapt(this.#now() - began)
      this.#total -= length
      this.#settle()
      this.onParsed?.()
      const rest = began + step.takes - this.#now()
      if (length >= flood && this.#total < this.#size && this.#empty.length === 0 && rest > 0)
        this.#timer = setTimeout(() => this.#take(), rest)
      else if (this.#waiting.length > 0) this.#breathe(() => this.#take())
      else this.#isBusy = false
    })
  }

  /** The bytes of one step. They are good until it is done. */
  #nextStep(size: number): Uint8Array | undefined {
    const first = this.#waiting.shift()
    if (first === undefined) return undefined
    if (first.length >= size || this.#waiting.length === 0) return this.#cut(first, size)
    if (this.#joined.length < size) this.#joined = new Uint8Array(size)
    let length = 0
    for (let piece: Uint8Array | undefined = first; piece; piece = length < size ? this.#waiting.shift() : undefined) {
      const part = this.#cut(piece, size - length)
      this.#joined.set(part, length)
      length += part.length
    }
    return this.#joined.subarray(0, length)
  }

  /** The beginning of a piece; the rest of it waits on. */
  #cut(piece: Uint8Array, length: number): Uint8Array {
    if (piece.length <= length) return piece
    this.#waiting.unshift(piece.subarray(length))
    return piece.subarray(0, length)
  }

  #adapt(took: number): void {
    const factor = Math.min(2, Math.max(0.5, step.takes / Math.max(took, 1)))
    this.#step = Math.round(Math.min(step.most, Math.max(step.least, this.#step * factor)))
  }

  #settle(): void {
    if (this.#total <= lowWater * this.#step) for (const resolve of this.#resume.splice(0)) resolve()
    if (this.#total === 0) for (const resolve of this.#empty.splice(0)) resolve()
  }
}

/** Timers of timers wait four milliseconds; messages do not. */
function nextTask(next: () => void): void {
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = () => {
    port1.close()
    next()
  }
  port2.postMessage(undefined)
}
