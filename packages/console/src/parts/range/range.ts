import { formatDate } from '../../ui/dates.ts'
import type { Zone } from '../../ui/dates.ts'

export const namedRanges = { today: 'Today', '7d': 'Last 7 days', '30d': 'Last 30 days' } as const
export type NamedRange = keyof typeof namedRanges

/** Whole days in the zone shown: a named stretch that ends today, or two dates (YYYY-MM-DD), both included. */
export type Range = { name: NamedRange } | { from: string; to: string }

const daysBack = { today: 0, '7d': 6, '30d': 29 } as const

const isDate = (text: string | undefined): text is string =>
  text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))

/** The range that an address or a stored text means; undefined when it means none. */
export function parseRange(fields: { range?: string | undefined; from?: string | undefined; to?: string | undefined }): Range | undefined {
  const { range, from, to } = fields
  if (range !== undefined && Object.hasOwn(namedRanges, range)) return { name: range as NamedRange }
  if (isDate(from) && isDate(to) && from <= to) return { from, to }
  return undefined
}

/** The address fields of a range; the others are cleared. */
export function rangeFields(range: Range): { range: string | undefined; from: string | undefined; to: string | undefined } {
  return 'name' in range ? { range: range.name, from: undefined, to: undefined } : { range: undefined, from: range.from, to: range.to }
}

/** First and last millisecond of the range. A named one ends with today, so usually in the future. */
export function rangeTimes(range: Range, now: Date, zone: Zone): { from: Date; to: Date } {
  if (!('name' in range)) return { from: dayStart(range.from, 0, zone), to: new Date(dayStart(range.to, 1, zone).getTime() - 1) }
  const today = formatDate(now, 'YYYY-MM-DD', zone)
  return { from: dayStart(today, -daysBack[range.name], zone), to: new Date(dayStart(today, 1, zone).getTime() - 1) }
}

/** Midnight of a date, `plus` days later. Calendar days, so a day that is an hour longer or shorter stays one day. */
function dayStart(date: string, plus: number, zone: Zone): Date {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number)
  return zone === 'utc' ? new Date(Date.UTC(year, month - 1, day + plus)) : new Date(year, month - 1, day + plus)
}

/** The range as its button says it. */
export function rangeLabel(range: Range): string {
  if ('name' in range) return namedRanges[range.name]
  return range.from === range.to ? range.from : `${range.from} – ${range.to}`
}

/** The next wider named range; undefined when this is the widest. */
export function widerRange(range: Range): Range | undefined {
  if (!('name' in range)) return undefined
  return range.name === 'today' ? { name: '7d' } : range.name === '7d' ? { name: '30d' } : undefined
}
