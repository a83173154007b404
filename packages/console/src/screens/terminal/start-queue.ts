/** Starts things a few at a time: each waits for its turn, and its turn ends when its promise settles. */
export class StartQueue {
  readonly #atOnce: number
  #waiting: (() => Promise<void>)[] = []
  #running = 0

  constructor(atOnce: number) {
    this.#atOnce = atOnce
  }

  /** `start` must not reject. */
  add(start: () => Promise<void>): void {
    this.#waiting.push(start)
    this.#next()
  }

  #next(): void {
    if (this.#running >= this.#atOnce) return
    const start = this.#waiting.shift()
    if (!start) return
    this.#running += 1
    void start().finally(() => {
      this.#running -= 1
      this.#next()
    })
  }
}
