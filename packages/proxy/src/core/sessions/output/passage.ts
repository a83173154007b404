/** Passes output on piece by piece as it comes, at the pace of whoever takes it. */
import type { Readable } from 'node:stream'

/** Bytes that were passed on and are not taken yet: above, the source waits; below the second, it goes on. */
const fullAt = 512 * 1024
const emptyAt = 128 * 1024

export class Passage {
  /** Resolves when all of it is taken, or when the source is gone. Does not reject. */
  readonly done: Promise<void>
  readonly #source: Readable
  readonly #resolve: () => void
  #waiting = 0
  #isHeld = false
  #isOver = false

  /** `take` resolves when its bytes are taken, and does not reject. Pieces are handed to it in order, without waiting for it. */
  constructor(source: Readable, take: (bytes: Buffer) => Promise<void>) {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.done = promise
    this.#source = source
    this.#resolve = resolve
    source.on('data', (bytes: Buffer) => {
      this.#waiting += bytes.length
      if (this.#waiting > fullAt) source.pause()
      void take(bytes).then(() => this.#taken(bytes.length))
    })
    const end = (): void => {
      this.#isOver = true
      this.#taken(0)
    }
    source.once('end', end).once('close', end).once('error', end)
  }

  /** Nothing more comes until `release`, but for what is on its way. */
  hold(): void {
    this.#isHeld = true
    this.#source.pause()
  }

  release(): void {
    this.#isHeld = false
    this.#taken(0)
  }

  #taken(length: number): void {
    this.#waiting -= length
    if (this.#isOver && this.#waiting === 0) this.#resolve()
    else if (!this.#isHeld && this.#waiting < emptyAt && this.#source.isPaused()) this.#source.resume()
  }
}
