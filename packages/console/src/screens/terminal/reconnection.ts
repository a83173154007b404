export interface ReconnectionOptions {
  /** Whether the session is still there; undefined when that cannot be told now. */
  isThere: () => Promise<boolean | undefined>
  connect: () => void
  /** `isOver`: the session is known to be gone. */
  giveUp: (reason: string, isOver: boolean) => void
}

/** Pauses before the attempts (ms); the last one is taken again and again. */
const pauses = [0, 500, 1000, 2000, 4000, 8000]

/** Tries to come back to a session whose connection broke, as long as the server keeps the place. */
export class Reconnection {
  readonly #options: ReconnectionOptions
  /** How long the place is kept (ms); 0 when it is not. */
  #keptFor = 0
  /** Since when it is tried. */
  #since: number | undefined
  #attempt = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(options: ReconnectionOptions) {
    this.#options = options
  }

  get isUnderWay(): boolean {
    return this.#since !== undefined
  }

  /** The session is there, and keeps the place for so long. */
  begin(seconds: number): void {
    this.stop()
    this.#keptFor = seconds * 1000
  }

  /** The connection broke. False when there is nothing to come back to. */
  retry(): boolean {
    if (this.#keptFor === 0) return false
    const now = performance.now()
    this.#since ??= now
    if (now - this.#since > this.#keptFor) return false
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#try(), pauses[Math.min(this.#attempt, pauses.length - 1)])
    this.#attempt += 1
    return true
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#since = undefined
    this.#attempt = 0
  }

  async #try(): Promise<void> {
    const began = this.#since
    const isThere = await this.#options.isThere()
    if (began === undefined || this.#since !== began) return
    if (isThere === true) this.#options.connect()
    else if (isThere === false)
      this.#options.giveUp('The session is over: it ended while the connection was away, or the proxy was started anew.', true)
    else if (!this.retry()) this.#options.giveUp('The connection was lost, and the proxy could not be reached again in time.', false)
  }
}
