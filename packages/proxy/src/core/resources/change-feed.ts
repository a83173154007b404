/**
 * Who changed what, told to caches and indexes of this process. Listeners run at once and must not throw.
 * With several proxies on one database, what another one changed arrives here as well: see change-follower.ts.
 */
export interface Change {
  kind: string
  name: string
  operation: 'put' | 'delete'
}

export interface ChangeFeed {
  publish(change: Change): void
  subscribe(listener: (change: Change) => void): Disposable
}

export function createChangeFeed(): ChangeFeed {
  const listeners = new Set<(change: Change) => void>()
  return {
    publish: (change) => listeners.forEach((listener) => listener(change)),
    subscribe(listener) {
      listeners.add(listener)
      return { [Symbol.dispose]: () => listeners.delete(listener) }
    },
  }
}
