import { expect, test } from 'vitest'
import { parseRange, rangeFields, rangeLabel, rangeTimes, widerRange } from './range.ts'

const now = new Date('2026-11-21T10:30:00Z')
const iso = (range: Parameters<typeof rangeTimes>[0]) => {
  const { from, to } = rangeTimes(range, now, 'utc')
  return [from.toISOString(), to.toISOString()]
}

test('named ranges are whole days that end with today', () => {
  expect(iso({ name: 'today' })).toEqual(['2026-11-21T00:00:00.000Z', '2026-11-21T23:59:59.999Z'])
  expect(iso({ name: '7d' })).toEqual(['2026-11-15T00:00:00.000Z', '2026-11-21T23:59:59.999Z'])
  expect(iso({ name: '30d' })[0]).toBe('2026-10-23T00:00:00.000Z')
})

test('custom ranges include both days', () => {
  expect(iso({ from: '2026-02-28', to: '2026-03-01' })).toEqual(['2026-02-28T00:00:00.000Z', '2026-03-01T23:59:59.999Z'])
})

test('local days begin at local midnight', () => {
  const { from, to } = rangeTimes({ from: '2026-11-01', to: '2026-11-01' }, now, 'local')
  expect([from.getHours(), from.getDate(), to.getHours(), to.getDate()]).toEqual([0, 1, 23, 1])
})

test('an address keeps the range; nonsense means none', () => {
  for (const range of [{ name: '7d' as const }, { from: '2026-11-01', to: '2026-11-02' }])
    expect(parseRange(rangeFields(range))).toEqual(range)
  expect(parseRange({ range: 'toString' })).toBeUndefined()
  expect(parseRange({ from: '2026-11-02', to: '2026-11-01' })).toBeUndefined()
  expect(parseRange({ from: '2026-13-40', to: '2026-13-41' })).toBeUndefined()
})

test('widening goes from today to a month and stops', () => {
  expect(widerRange({ name: 'today' })).toEqual({ name: '7d' })
  expect(widerRange({ name: '30d' })).toBeUndefined()
  expect(rangeLabel({ from: '2026-11-01', to: '2026-11-01' })).toBe('2026-11-01')
})
