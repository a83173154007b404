import { expect, test } from 'vitest'
import { createRateLimiter, network } from './rate-limit.ts'

test('an IPv6 subscriber counts as one, an IPv4 address is the same in both spellings', () => {
  expect(network('2001:db8:1:2:3:4:5:6')).toBe(network('2001:db8:1:2::9'))
  expect(network('2001:db8:1:3::9')).not.toBe(network('2001:db8:1:2::9'))
  expect(network('::ffff:10.0.0.1')).toBe('10.0.0.1')
  expect(network('::1')).toBe('0:0:0:0')
})
test('a bucket never holds more than its burst, and a clock that is set back takes nothing away', () => {
  const clock = { time: 1_000_000, now: () => clock.time }
  const limiter = createRateLimiter(clock)
  const drain = () => {
    for (let taken = 0; ; taken += 1)
      try {
        limiter.take('low', '10.0.0.1')
      } catch {
        return taken
      }
  }
  expect(drain()).toBe(40)
  clock.time += 24 * 3_600_000
  expect(drain()).toBe(40)
  clock.time -= 3_600_000
  expect(drain()).toBe(0)
  clock.time += 60_000
  expect(drain()).toBe(20)
})
