import { expect, test } from 'vitest'
import { createLiveLogins } from './live-logins.ts'

const aborted = (signal: AbortSignal) => new Promise((resolve) => signal.addEventListener('abort', resolve))

test('a signal fires when its sign-in ends, or when its time is over, and not before', async () => {
  const clock = { time: 0, now: () => clock.time }
  using live = createLiveLogins(clock)
  const ended = live.signalOf('a', 1000)
  const lapsing = live.signalOf('b', 1000)
  expect(live.signalOf('a', 1000)).toBe(ended)
  live.end('a')
  expect([ended.aborted, lapsing.aborted]).toEqual([true, false])
  expect(live.signalOf('b', 2000)).toBe(lapsing)
  clock.time = 2000
  await aborted(lapsing)
  expect(live.signalOf('b', 3000).aborted).toBe(false)
})
