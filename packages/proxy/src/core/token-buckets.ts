/** Token buckets: every key may do so much at once and so much per minute. */
import { LRUCache } from 'lru-cache'
import type { Clock } from './clock.ts'

export interface TokenBuckets {
  /** Takes a token of the key's bucket; false when there is none. */
  take(key: string): boolean
}

/** Keys remembered; beyond it the longest unused one is forgotten. */
const maxKeys = 100_000

export function createTokenBuckets({ perMinute, burst }: { perMinute: number; burst: number }, clock: Clock): TokenBuckets {
  // By size and not by `max`, for which the cache takes the memory of all keys at once.
  const buckets = new LRUCache<string, { tokens: number; at: number }>({ maxSize: maxKeys, sizeCalculation: () => 1 })
  return {
    take(key) {
      const now = clock.now()
      const bucket = buckets.get(key) ?? { tokens: burst, at: now }
      // A clock that was set back refills nothing; it must not empty the bucket either.
      const refill = (Math.max(0, now - bucket.at) / 60_000) * perMinute
      bucket.tokens = Math.min(burst, bucket.tokens + refill)
      bucket.at = now
      buckets.set(key, bucket)
      if (bucket.tokens < 1) return false
      bucket.tokens -= 1
      return true
    },
  }
}
