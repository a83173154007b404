import { expect, test } from 'vitest'
import { DATE_FORMAT, DATE_TIME_FORMAT, SHORT_DATE_FORMAT, durationClock, durationWords, formatDate, relativeWords } from './dates.ts'

const at = new Date('2026-11-21T04:05:06Z')

test('R9-002: dates are written YYYY-MM-DD', () => {
  expect(formatDate(at, DATE_FORMAT, 'utc')).toBe('2026-11-21')
  expect(formatDate(new Date('no date'), DATE_FORMAT, 'utc')).toBe('')
})

test('R9-003: times are written YYYY-MM-DD HH:mm:ss', () => {
  expect(formatDate(at, DATE_TIME_FORMAT, 'utc')).toBe('2026-11-21 04:05:06')
  expect(formatDate(new Date(2026, 0, 2, 3, 4, 5), DATE_TIME_FORMAT, 'local')).toBe('2026-01-02 03:04:05')
})

test('R9-004: the short date names its month', () => {
  expect(formatDate(at, SHORT_DATE_FORMAT, 'utc')).toBe('Nov 21, 2026')
})

test('a format of somebody else keeps its own words', () => {
  expect(formatDate(at, 'DD/MM/YYYY at HH:mm', 'utc')).toBe('21/11/2026 at 04:05')
})

test('durations name their two largest units and leave out empty ones', () => {
  expect(durationWords(180_000)).toBe('3 minutes')
  expect(durationWords(4_800_000)).toBe('1 hour 20 minutes')
  expect(durationWords(3_600_000 + 5000)).toBe('1 hour')
  expect(durationWords(-5)).toBe('under a second')
  expect(durationClock(3_723_000)).toBe('1:02:03')
  expect(durationClock(-1)).toBe('0:00')
})

test('relative times look both ways', () => {
  const now = new Date('2026-11-21T04:09:06Z')
  expect(relativeWords(at, now)).toBe('4 minutes ago')
  expect(relativeWords(new Date('2026-11-21T06:09:06Z'), now)).toBe('in 2 hours')
  expect(relativeWords(now, now)).toBe('just now')
  expect(relativeWords(new Date('2045-11-21T04:09:06Z'), now)).toBe('in 19 years')
})
