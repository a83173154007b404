/** A session that nobody is in, or whose owner is not: how long it waits for somebody to come back. */

/** After everybody left in good order. */
export const lingerTime = 20_000

export interface AbsenceOptions {
  /** Milliseconds for which the owner's place is kept when their connection broke. */
  grace: number
  /** Nobody came back. */
  onOver: () => void
  /** The owner was signed out meanwhile. */
  onSignedOut: () => void
}

export class Absence {
  readonly #options: AbsenceOptions
  #timer: NodeJS.Timeout | undefined
  /** Until when the owner is awaited, by the clock that only grows. */
  #until = 0
  #signal: AbortSignal | undefined

  constructor(options: AbsenceOptions) {
    this.#options = options
  }

  /** The owner is not in any more; until they are, their signing out counts. */
  ownerLeft(signal: AbortSignal, isDropped: boolean): void {
    this.#unwatch()
    if (isDropped) this.#until = performance.now() + this.#options.grace
    this.#signal = signal
    signal.addEventListener('abort', this.#options.onSignedOut, { once: true })
  }

  /** Nobody is in. */
  begin(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#options.onOver, Math.max(lingerTime, this.#until - performance.now()))
  }

  /** Somebody is in again. */
  end(isOwner: boolean): void {
    clearTimeout(this.#timer)
    if (!isOwner) return
    this.#until = 0
    this.#unwatch()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#unwatch()
  }

  #unwatch(): void {
    this.#signal?.removeEventListener('abort', this.#options.onSignedOut)
    this.#signal = undefined
  }
}
