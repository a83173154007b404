/** The list grammar of every inventory list: search words, sort, pages by key. */
import { notImplemented } from '../errors.ts'

export interface ListRequest {
  limit: number
  startKey?: string | undefined
  query?: string | undefined
  search?: string | undefined
  sort?: string | undefined
}

export interface SortOrder<Field extends string> {
  field: Field
  descending: boolean
}

/** Splits on white space; "quoted phrases" stay whole. Lower case, because search ignores case. */
export function searchWords(search: string): string[] {
  const words = [...search.toLowerCase().matchAll(/"([^"]*)"?|[^\s"]+/g)].map(([word, phrase]) => phrase ?? word)
  return words.filter((word) => word.trim() !== '')
}

/** `field:asc`, `field:desc`; anything but desc is ascending. Throws not implemented for a field that `fields` lacks. */
export function parseSort<Field extends string>(
  sort: string | undefined,
  kind: string,
  fields: Readonly<Record<string, Field>>,
  standard: Field,
): SortOrder<Field> {
  if (!sort) return { field: standard, descending: false }
  const [name = '', direction] = sort.split(':')
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (field === undefined) throw notImplemented(`sorting by field "${name}" for resource "${kind}" is not supported`)
  return { field, descending: direction?.toLowerCase() === 'desc' }
}
