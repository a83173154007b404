/** Token buckets per client address, two in all: every `low` call shares one, every `high` call the other. */
import { LRUCache } from 'lru-cache'
import { rateLimits } from '@sallyport/wire/limits.ts'
import { rateLimitText } from '@sallyport/wire/errors.ts'
import type { RateLimit } from '@sallyport/wire/call.ts'
import type { Clock } from '../core/clock.ts'
import { limitExceeded } from '../core/errors.ts'

interface Bucket {
  tokens: number
  at: number
}

export interface RateLimiter {
  /** Takes one token. Throws the 429 when there is none. */
  take(limit: RateLimit, ip: string): void
}

/** Addresses remembered; beyond it the longest unused one is forgotten. */
const maxAddresses = 100_000

export function createRateLimiter(clock: Clock): RateLimiter {
  const buckets = { low: new LRUCache<string, Bucket>({ max: maxAddresses }), high: new LRUCache<string, Bucket>({ max: maxAddresses }) }
  return {
    take(limit, ip) {
      const { perMinute, burst } = rateLimits[limit]
      const now = clock.now()
      const address = network(ip)
      const bucket = buckets[limit].get(address) ?? { tokens: burst, at: now }
      // A clock that was set back refills nothing; it must not empty the bucket either.
      const refill = (Math.max(0, now - bucket.at) / 60_000) * perMinute
      bucket.tokens = Math.min(burst, bucket.tokens + refill)
      bucket.at = now
      buckets[limit].set(address, bucket)
      if (bucket.tokens < 1) throw limitExceeded(rateLimitText)
      bucket.tokens -= 1
    },
  }
}

/** One IPv6 subscriber owns a whole /64, so that is what counts as one address. */
export function network(ip: string): string {
  const plain = ip.startsWith('::ffff:') && ip.includes('.') ? ip.slice(7) : ip
  if (!plain.includes(':')) return plain
  const [head = '', tail] = plain.split('::')
  const front = head === '' ? [] : head.split(':')
  const back = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : 8 - front.length - back.length
  return [...front, ...Array<string>(Math.max(0, zeros)).fill('0'), ...back].slice(0, 4).join(':')
}
