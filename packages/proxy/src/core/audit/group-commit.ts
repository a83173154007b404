/** Gathers what arrives together and writes it together: one disk flush serves many callers. */

/** So many entries at most in one write; the rest waits for the next. */
const batchLimit = 1000

export interface GroupCommit<T> {
  /** Resolves when the entry is written; rejects with the writer's error. */
  add(entry: T): Promise<void>
  /** Resolves when nothing waits any more. */
  drain(): Promise<void>
}

interface Waiting<T> {
  entry: T
  resolve: () => void
  reject: (error: unknown) => void
}

export function createGroupCommit<T>(write: (entries: readonly T[]) => Promise<void>): GroupCommit<T> {
  let waiting: Waiting<T>[] = []
  let running: Promise<void> | undefined

  const run = async (): Promise<void> => {
    // Everything that this turn of the event loop adds goes into the first batch.
    await new Promise((resolve) => setImmediate(resolve))
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchLimit)
      waiting = waiting.slice(batchLimit)
      try {
        await write(batch.map(({ entry }) => entry))
        for (const { resolve } of batch) resolve()
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
      // Whoever was told adds its next entry before the next batch is cut.
      await new Promise((resolve) => setImmediate(resolve))
    }
    running = undefined
  }

  return {
    add: (entry) =>
      new Promise<void>((resolve, reject) => {
        waiting.push({ entry, resolve, reject })
        running ??= run()
      }),
    drain: () => running ?? Promise.resolve(),
  }
}
