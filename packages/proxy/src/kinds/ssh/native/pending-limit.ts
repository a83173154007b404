/** Bounds the connections that have not signed in yet, so that a flood of them neither fills the memory nor keeps others out. */
const limitInAll = 256
const limitPerAddress = 64

export interface PendingLimit {
  /** A place until disposed; undefined when there is none left. */
  take(ip: string): Disposable | undefined
}

export function createPendingLimit(): PendingLimit {
  const counts = new Map<string, number>()
  let total = 0
  return {
    take(ip) {
      const count = counts.get(ip) ?? 0
      if (total >= limitInAll || count >= limitPerAddress) return undefined
      counts.set(ip, count + 1)
      total += 1
      let isTaken = true
      return {
        [Symbol.dispose]() {
          if (!isTaken) return
          isTaken = false
          total -= 1
          const left = (counts.get(ip) ?? 1) - 1
          if (left === 0) counts.delete(ip)
          else counts.set(ip, left)
        },
      }
    },
  }
}
