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

/** `atOnce`: so many writes may be under way. */
export function createGroupCommit<T>(write: (entries: readonly T[]) => Promise<void>, atOnce = 1): GroupCommit<T> {
  let waiting: Waiting<T>[] = []
  let running = 0
  let isScheduled = false
  let onDrained: (() => void)[] = []

  const writeNext = async (): Promise<void> => {
    const batch = waiting.slice(0, batchLimit)
    waiting = waiting.slice(batchLimit)
    running += 1
    try {
      await write(batch.map(({ entry }) => entry))
      for (const { resolve } of batch) resolve()
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
    running -= 1
    schedule()
  }

  /** Everything that this turn of the event loop adds goes into one batch, also what those add who have just been told. */
  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      const batches = Math.min(atOnce - running, Math.ceil(waiting.length / batchLimit))
      for (let count = 0; count < batches; count += 1) void writeNext()
      if (running > 0) return
      for (const resolve of onDrained) resolve()
      onDrained = []
    })
  }

  return {
    add: (entry) =>
      new Promise<void>((resolve, reject) => {
        waiting.push({ entry, resolve, reject })
        if (running < atOnce) schedule()
      }),
    drain: () =>
      new Promise((resolve) => {
        onDrained.push(resolve)
        schedule()
      }),
  }
}
