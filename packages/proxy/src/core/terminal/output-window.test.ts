import { expect, test } from 'vitest'
import { acknowledgeEvery, OutputWindow } from './output-window.ts'

/** A screen that shows `rate` bytes per millisecond, behind a network that takes `delay` milliseconds for both ways. */
function run(rate: number, delay: number, milliseconds: number) {
  let time = 0
  const window = new OutputWindow(() => time)
  window.roundTrip(delay + 5)
  window.roundTrip(delay * 9)
  let sent = 0
  let shown = 0
  let told = 0
  let isHeld = false
  let most = 0
  const arriving: { at: number; bytes: number }[] = []
  let arrived = 0
  for (; time < milliseconds; time += 1) {
    isHeld = isHeld ? !window.isRoomy : window.isFull
    if (!isHeld) {
      window.sent(100_000)
      sent += 100_000
      arriving.push({ at: time + delay, bytes: 100_000 })
    }
    while (arriving[0] && arriving[0].at <= time) arrived += arriving.shift()?.bytes ?? 0
    shown = Math.min(arrived, shown + rate)
    if (shown - told >= acknowledgeEvery) {
      told = shown
      window.shown(Math.floor(told))
    }
    if (time > milliseconds / 2) most = Math.max(most, sent - shown)
  }
  return { most, shown }
}

test('what waits for a screen is what it shows in a tenth of a second, whatever its speed', () => {
  for (const rate of [3000, 20_000]) {
    const { most, shown } = run(rate, 0, 4000)
    expect(most, `${rate} bytes per ms`).toBeLessThan(rate * 250 + 100_000)
    expect(shown, `${rate} bytes per ms`).toBeGreaterThan(rate * 4000 * 0.95)
  }
})

test('a distant screen is kept busy', () => {
  const { shown } = run(5000, 150, 8000)
  expect(shown).toBeGreaterThan(5000 * 8000 * 0.85)
})

test('a screen that says nothing is never held, and what it cannot have shown does not count', () => {
  const window = new OutputWindow(() => 0)
  window.sent(50_000_000)
  expect(window.isFull).toBe(false)
  window.shown(50_000_001)
  window.shown(-1)
  window.shown(Number.NaN)
  expect(window.isFull).toBe(false)
  window.shown(1)
  expect(window.isFull).toBe(true)
})
