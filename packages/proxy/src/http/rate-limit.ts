/** Token buckets per client address, two in all: every `low` call shares one, every `high` call the other. */
import { rateLimits } from '@sallyport/wire/limits.ts'
import { rateLimitText } from '@sallyport/wire/errors.ts'
import type { RateLimit } from '@sallyport/wire/call.ts'
import type { Clock } from '../core/clock.ts'
import { limitExceeded } from '../core/errors.ts'
import { createTokenBuckets } from '../core/token-buckets.ts'

export interface RateLimiter {
  /** Takes one token. Throws the 429 when there is none. */
  take(limit: RateLimit, ip: string): void
}

export function createRateLimiter(clock: Clock): RateLimiter {
  const buckets = { low: createTokenBuckets(rateLimits.low, clock), high: createTokenBuckets(rateLimits.high, clock) }
  return {
    take(limit, ip) {
      if (!buckets[limit].take(network(ip))) throw limitExceeded(rateLimitText)
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
