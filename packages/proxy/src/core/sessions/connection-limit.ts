/** How many connections to servers somebody has at a time. */
import { accessDenied } from '../errors.ts'

export interface ConnectionLimit {
  /** Counts one more until disposed; `limit` 0 is no limit. Throws access denied. */
  take(user: string, limit: number): Disposable
}

export function createConnectionLimit(): ConnectionLimit {
  const counts = new Map<string, number>()
  return {
    take(user, limit) {
      const count = counts.get(user) ?? 0
      if (limit > 0 && count >= limit) throw accessDenied(`too many connections: your roles allow ${limit} at a time, close one first`)
      counts.set(user, count + 1)
      let isTaken = true
      return {
        [Symbol.dispose]() {
          if (!isTaken) return
          isTaken = false
          const left = (counts.get(user) ?? 1) - 1
          if (left === 0) counts.delete(user)
          else counts.set(user, left)
        },
      }
    },
  }
}
