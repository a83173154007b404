/** Switches and times as people write them in files, flags and documents. */
import { z } from 'zod'
import { formatDuration, parseDuration } from '../access/duration.ts'

const truth = new Map<unknown, boolean>([
  ['true', true],
  ['yes', true],
  ['on', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['off', false],
  ['0', false],
])

const known = (value: unknown): boolean | undefined =>
  typeof value === 'boolean' ? value : truth.get(typeof value === 'string' ? value.toLowerCase() : value)

export const flag = z.union([z.boolean(), z.string()]).transform((value, context): boolean => {
  const read = known(value)
  if (read !== undefined) return read
  context.addIssue({ code: 'custom', message: `must be true or false, not "${value}"` })
  return z.NEVER
})

/** A switch with more positions than two, such as `no`, `yes` and `hardware_key`. */
export const flagOr = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.preprocess((value) => known(value) ?? value, z.union([z.boolean(), z.enum(words)]))

/** The time in one spelling: `90m` becomes `1h30m0s`. */
export const duration = z.union([z.number(), z.string()]).transform((value, context): string => {
  const ms = parseDuration(String(value))
  if (ms !== undefined) return formatDuration(ms)
  context.addIssue({ code: 'custom', message: `must be a time such as 90s, 15m or 1h30m, not "${value}"` })
  return z.NEVER
})
