/** Bounds work that would only get in its own way: so much at once, so much waiting, the rest is turned away. */
export interface Turns {
  /** Throws `refusal()` when too much is waiting already. */
  <T>(work: () => Promise<T>): Promise<T>
}

export function takeTurns({ atOnce, waiting: maxWaiting, refusal }: { atOnce: number; waiting: number; refusal: () => Error }): Turns {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= atOnce) {
      if (waiting.length >= maxWaiting) throw refusal()
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else running += 1
    try {
      return await work()
    } finally {
      // The turn is handed on, so `running` stays as it is when somebody waits.
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
