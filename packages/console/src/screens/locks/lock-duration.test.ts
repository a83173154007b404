import { expect, test } from 'vitest'
import { whyNotDuration } from './lock-duration.ts'

test('durations of hours, minutes and seconds are taken, in this order; nothing else, and no time at all is none', () => {
  for (const good of ['2h45m', '1h', '30m', '240h', '1.5h', '1h0m1s']) expect(whyNotDuration(good)).toBeUndefined()
  for (const bad of ['', '0s', '0h0m', '5d', '5', 'h', '5m2h', '1h ', '-1h', 'tomorrow'])
    expect(whyNotDuration(bad)).toBe('Use a duration like 2h45m')
})
