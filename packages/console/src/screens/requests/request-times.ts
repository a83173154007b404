/** For how long access may be asked for, and a request may wait. */
import { durationWords } from '../../ui/dates.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const times = [15 * minute, hour, 2 * hour, 4 * hour, 8 * hour, 12 * hour, day, 2 * day, 3 * day, 7 * day, 14 * day]

/** Times that fit, the longest one first. `longest` in milliseconds. */
export const timesWithin = (longest: number): { value: string; label: string }[] => [
  { value: 'longest', label: longest > 0 ? `As long as allowed (${durationWords(longest)})` : 'As long as allowed' },
  ...times.filter((time) => time < longest).map((time) => ({ value: String(time), label: durationWords(time) })),
]

export const pendingOptions: readonly { value: string; label: string }[] = [
  { value: 'longest', label: 'Up to 7 days for its reviews' },
  ...[hour, 8 * hour, day, 3 * day].map((time) => ({ value: String(time), label: `Up to ${durationWords(time)} for its reviews` })),
]
