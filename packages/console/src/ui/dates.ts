/** Which clock a time is shown in. */
export type Zone = 'utc' | 'local'

export const DATE_FORMAT = 'YYYY-MM-DD'
export const DATE_TIME_FORMAT = 'YYYY-MM-DD HH:mm:ss'
export const SHORT_DATE_FORMAT = 'MMM dd, yyyy'

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

type Parts = { YYYY: number; MM: number; DD: number; HH: number; mm: number; ss: number }

function partsOf(date: Date, zone: Zone): Parts {
  return zone === 'utc'
    ? {
        YYYY: date.getUTCFullYear(),
        MM: date.getUTCMonth() + 1,
        DD: date.getUTCDate(),
        HH: date.getUTCHours(),
        mm: date.getUTCMinutes(),
        ss: date.getUTCSeconds(),
      }
    : {
        YYYY: date.getFullYear(),
        MM: date.getMonth() + 1,
        DD: date.getDate(),
        HH: date.getHours(),
        mm: date.getMinutes(),
        ss: date.getSeconds(),
      }
}

/** Writes a time by the tokens YYYY, MMM, MM, DD, HH, mm and ss (yyyy and dd count as YYYY and DD); everything else stays as it is. An invalid date gives ''. */
export function formatDate(date: Date, format: string, zone: Zone = 'local'): string {
  if (Number.isNaN(date.getTime())) return ''
  const parts = partsOf(date, zone)
  return format.replace(/YYYY|yyyy|MMM|MM|DD|dd|HH|mm|ss/g, (token) => {
    if (token === 'MMM') return months[parts.MM - 1] ?? ''
    if (token === 'YYYY' || token === 'yyyy') return String(parts.YYYY).padStart(4, '0')
    const value = parts[token === 'dd' ? 'DD' : (token as keyof Parts)]
    return String(value).padStart(2, '0')
  })
}

const spans: readonly [ms: number, one: string][] = [
  [365 * 86_400_000, 'year'],
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1000, 'second'],
]

/** A duration in words, its two largest units: "3 minutes", "1 hour 20 minutes". Under a second: "under a second". */
export function durationWords(ms: number): string {
  const words: string[] = []
  let rest = Math.max(0, Math.round(ms / 1000) * 1000)
  for (const [size, name] of spans) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) words.push(`${count} ${name}${count === 1 ? '' : 's'}`)
    else if (words.length > 0) break
    if (words.length === 2) break
  }
  return words.join(' ') || 'under a second'
}

/** A duration as a clock for columns and players: 4:05, 1:02:03. */
export function durationClock(ms: number): string {
  const total = Math.max(0, Math.floor(ms / 1000))
  const [hours, minutes, seconds] = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60]
  const tail = String(seconds).padStart(2, '0')
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${tail}` : `${minutes}:${tail}`
}

/** How far a time lies from now, in its largest unit: "4 minutes ago", "in 2 hours", "just now" within five seconds. */
export function relativeWords(date: Date, now: Date): string {
  const ms = now.getTime() - date.getTime()
  if (Math.abs(ms) < 5000) return 'just now'
  const [size, name] = spans.find(([span]) => Math.abs(ms) >= span) ?? [1000, 'second']
  const count = Math.floor(Math.abs(ms) / size)
  const text = `${count} ${name}${count === 1 ? '' : 's'}`
  return ms > 0 ? `${text} ago` : `in ${text}`
}
