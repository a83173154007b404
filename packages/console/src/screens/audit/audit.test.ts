import { expect, test } from 'vitest'
import type { AuditDisplay } from '@sallyport/wire/audit/catalogue.ts'
import { countBySeverity, filterEvents, histogram } from './audit-filter.ts'
import type { AuditFilter } from './audit-filter.ts'
import { csvCell } from '../../parts/list/csv.ts'
import { toCsv, toJsonLines } from './export.ts'

const event = (id: string, code: string, time: string, more: Partial<AuditDisplay> = {}): AuditDisplay => ({
  id,
  code,
  codeDesc: 'Type',
  message: 'Message',
  user: 'alice',
  time: new Date(time),
  raw: { event: 'user.login', time },
  ...more,
})
const events = [
  event('1', 'T1000I', '2026-11-21T10:00:00Z'),
  event('2', 'T1000W', '2026-11-21T10:30:00Z', { user: 'bob', message: 'Local sign-in by bob failed' }),
  event('3', 'T3002E', '2026-11-21T11:00:00Z'),
]
const all: AuditFilter = { text: '', severities: [], span: undefined, zone: 'utc', dateTimeFormat: 'YYYY-MM-DD HH:mm:ss' }
const ids = (filter: Partial<AuditFilter>) => filterEvents(events, { ...all, ...filter }).map((one) => one.id)

test('a filter leaves what has all words, one of the severities and lies in the stretch', () => {
  expect(ids({})).toEqual(['1', '2', '3'])
  expect(ids({ text: 'BOB failed' })).toEqual(['2'])
  expect(ids({ text: 'bob nowhere' })).toEqual([])
  expect(ids({ text: '10:30' })).toEqual(['2'])
  expect(ids({ severities: ['warning', 'error'] })).toEqual(['2', '3'])
  expect(ids({ span: { from: Date.parse('2026-11-21T10:00:00Z'), to: Date.parse('2026-11-21T10:30:00Z') } })).toEqual(['1'])
})

test('the histogram counts each event once and leaves out what lies outside', () => {
  const buckets = histogram(events, Date.parse('2026-11-21T10:00:00Z'), Date.parse('2026-11-21T11:00:00Z'), 2)
  expect(buckets.map((bucket) => bucket.counts)).toEqual([
    { info: 1, warning: 0, error: 0 },
    { info: 0, warning: 1, error: 0 },
  ])
  expect(countBySeverity(events)).toEqual({ info: 1, warning: 1, error: 1 })
})

test('cells that a spreadsheet would run are disarmed, quotes doubled', () => {
  for (const text of ['=1+1', '+1', '-1', '@x', '\tx', '\rx']) expect(csvCell(text)).toBe(`"'${text}"`)
  expect(csvCell('say "no"')).toBe('"say ""no"""')
  expect(csvCell('plain')).toBe('"plain"')
})

test('exports have one line per event', () => {
  expect(toCsv(events).trimEnd().split('\r\n')).toHaveLength(4)
  expect(
    toJsonLines(events)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual(events.map((one) => one.raw))
  expect(toJsonLines([])).toBe('')
})
