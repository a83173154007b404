import { afterEach, expect, test, vi } from 'vitest'
import { startIdleTimer } from './idle-timer.ts'

afterEach(() => vi.useRealTimers())

test('silence is warned of once and then ends; whoever does something in time starts anew', () => {
  vi.useFakeTimers()
  const told: string[] = []
  const timer = startIdleTimer(
    100_000,
    () => Date.now(),
    () => told.push('idle'),
    (left) => told.push(`${left}`),
  )
  vi.advanceTimersByTime(80_000)
  expect(told).toEqual(['25000'])
  timer.touch()
  vi.advanceTimersByTime(74_000)
  expect(told).toEqual(['25000'])
  vi.advanceTimersByTime(1_000)
  expect(told).toEqual(['25000', '25000'])
  vi.advanceTimersByTime(25_000)
  expect(told).toEqual(['25000', '25000', 'idle'])
  timer[Symbol.dispose]()
})

test('without a limit nothing ever ends', () => {
  vi.useFakeTimers()
  startIdleTimer(
    0,
    () => Date.now(),
    () => expect.unreachable(),
  )
  vi.advanceTimersByTime(1e9)
  expect(vi.getTimerCount()).toBe(0)
})
