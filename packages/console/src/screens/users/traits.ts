/** Traits as rows of an editor, and what a change of a user would do. */
import { traitNames } from '@sallyport/wire/entities/user.ts'
import type { TraitName } from '@sallyport/wire/entities/user.ts'
import { traitKey, traitValues } from '../../parts/validators/people.ts'
import type { Problem } from '../../parts/validators/problem.ts'

export type Traits = Readonly<Record<string, readonly string[]>>

export interface TraitRow {
  /** Tells rows apart while their keys change. */
  id: number
  key: string
  values: readonly string[]
}

let lastId = 0
export const newRow = (key = '', values: readonly string[] = []): TraitRow => ({ id: ++lastId, key, values })

/** Traits without a value have no row: there is nothing to see. */
export const rowsOf = (traits: Traits): TraitRow[] =>
  Object.entries(traits)
    .filter(([, values]) => values.length > 0)
    .map(([key, values]) => newRow(key, values))

export const traitsOf = (rows: readonly TraitRow[]): Record<string, string[]> =>
  Object.fromEntries(rows.map(({ key, values }) => [key.trim(), [...values]]))

export interface RowProblems {
  key: Problem
  values: Problem
}

export function rowProblems(rows: readonly TraitRow[]): Map<number, RowProblems> {
  const found = new Map<number, RowProblems>()
  for (const row of rows) {
    const others = rows.filter((other) => other !== row).map(({ key }) => key.trim())
    const problems = { key: traitKey(row.key, others), values: traitValues(row.values) }
    if (problems.key !== undefined || problems.values !== undefined) found.set(row.id, problems)
  }
  return found
}

/** The seven that every proxy knows, as they are sent to one that knows no others: what is gone is cleared. */
export const namedTraits = (traits: Traits): Record<TraitName, string[]> =>
  Object.fromEntries(Object.entries(traitNames).map(([wireName, name]) => [wireName, [...(traits[name] ?? [])]])) as Record<
    TraitName,
    string[]
  >

/** Keys that only proxies keep which know traits of any name. */
export const customKeys = (traits: Traits): string[] => {
  const known: readonly string[] = Object.values(traitNames)
  return Object.keys(traits).filter((key) => !known.includes(key))
}

export interface Change {
  /** "Roles", or the key of a trait. */
  what: string
  added: string[]
  removed: string[]
}

interface Editable {
  roles: readonly string[]
  traits: Traits
}

/** What is different, value by value; the order of values means nothing. */
export function changesOf(before: Editable, after: Editable): Change[] {
  const keys = [...new Set([...Object.keys(before.traits), ...Object.keys(after.traits)])].toSorted()
  const pairs: [string, readonly string[], readonly string[]][] = [
    ['Roles', before.roles, after.roles],
    ...keys.map((key): [string, readonly string[], readonly string[]] => [key, before.traits[key] ?? [], after.traits[key] ?? []]),
  ]
  return pairs
    .map(([what, old, next]) => ({
      what,
      added: next.filter((value) => !old.includes(value)),
      removed: old.filter((value) => !next.includes(value)),
    }))
    .filter(({ added, removed }) => added.length + removed.length > 0)
}
