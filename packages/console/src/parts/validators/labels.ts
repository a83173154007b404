import { splitLabel } from '../typed-labels.ts'
import type { Problem } from './problem.ts'

/** `others` are the keys of the other rows. In a role a key may hold a pattern or a template. */
export function labelKey(key: string, others: readonly string[]): Problem {
  if (others.includes(key)) return 'This label is already there'
  return /^[A-Za-z0-9/_.:*{}"[\]()-]*$/.test(key) ? undefined : 'Use letters, digits and / _ . : * -'
}

export const labelParts = (key: string, values: readonly string[]): Problem =>
  key === '' || values.length === 0 ? 'Enter both key and value' : undefined

/** Labels of one thing as they are typed, `env=prod`: each key once. */
export function labels(typed: readonly string[]): Problem {
  const found = typed.map(splitLabel)
  const parts = found.map(({ name, value }) => labelParts(name, value === '' ? [] : [value])).find(Boolean)
  if (parts !== undefined) return parts
  if (found.some(({ name }) => !/^[A-Za-z0-9/_.:-]+$/.test(name))) return 'Use letters, digits and / _ . : - in keys'
  return new Set(found.map(({ name }) => name)).size < found.length ? 'This label is already there' : undefined
}
