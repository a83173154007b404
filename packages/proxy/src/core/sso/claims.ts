/** What providers say, brought into one bounded form. */
import type { Claims } from '../connectors/mapping.ts'

const maxClaims = 200
const maxValues = 1000
const maxLength = 2048

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined

/** Texts, numbers and lists of them; anything deeper, longer or beyond the bounds is left out. */
export function readClaims(raw: Readonly<Record<string, unknown>>): Claims {
  const read = Object.entries(raw).flatMap(([name, value]): [string, string[]][] => {
    const values = (Array.isArray(value) ? value : [value])
      .slice(0, maxValues)
      .map(textOf)
      .filter((text) => text !== undefined && text.length <= maxLength)
    return values.length > 0 && name !== '' && name.length <= 255 && name !== '__proto__' ? [[name, values as string[]]] : []
  })
  return Object.fromEntries(read.slice(0, maxClaims))
}

export const firstOf = (claims: Claims, name: string): string => (Object.hasOwn(claims, name) ? (claims[name]?.[0] ?? '') : '')
