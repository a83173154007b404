/** The `query` of lists: an expression over labels, name and the fields of the listed resource. */
import { PredicateError } from '@sallyport/protocols/predicate/expression.ts'
import { listQueryLanguage } from '@sallyport/protocols/predicate/languages.ts'
import { badParameter } from '../errors.ts'
import { areEqual, compilePredicate, containsOne, fieldAt, valuesOf } from './predicate.ts'
import type { Meanings, Operand } from './predicate.ts'

/** What a listed resource, of any kind, shows to a query. */
export interface Queried {
  /** The host name of a server, the name of anything else. */
  name: string
  labels: Readonly<Record<string, string>>
  /** Whether the resource matches a search word, which is in lower case. */
  matchesWord(word: string): boolean
  /** The resource as the contract spells its fields: `{ kind, metadata, spec }`. */
  resource(): unknown
}

const none: readonly string[] = []

const both =
  (test: (a: readonly string[], b: readonly string[]) => boolean) =>
  ([a, b]: readonly Operand<Queried>[]) =>
  (subject: Queried): boolean =>
    a !== undefined && b !== undefined && test(a.read(subject), b.read(subject))

const meanings: Meanings<Queried> = {
  name(path) {
    const [root, ...rest] = path
    if (root === 'name') return ({ name }) => [name]
    if (root === 'resource') return (subject) => valuesOf(fieldAt(subject.resource(), rest))
    const [key = ''] = rest
    return ({ labels }) => {
      const value = Object.hasOwn(labels, key) ? labels[key] : undefined
      return value === undefined ? none : [value]
    }
  },
  functions: {
    equals: both(areEqual),
    contains: both(containsOne),
    hasPrefix: both(([text], [prefix]) => text !== undefined && prefix !== undefined && text.startsWith(prefix)),
    exists:
      ([label]) =>
      (subject) =>
        (label?.read(subject).length ?? 0) > 0,
    search: (words) => (subject) => words.every(({ read }) => read(subject).every((word) => subject.matchesWord(word.toLowerCase()))),
    split:
      ([text, separator]) =>
      (subject) => {
        const [whole] = text?.read(subject) ?? []
        const [at] = separator?.read(subject) ?? []
        return whole === undefined || at === undefined ? [] : whole.split(at)
      },
  },
}

/** Undefined without a query: everything passes. Throws bad parameter for one that cannot be read. */
export function compileListQuery(query: string | undefined): ((subject: Queried) => boolean) | undefined {
  if (!query?.trim()) return undefined
  try {
    return compilePredicate(query, listQueryLanguage, meanings)
  } catch (cause) {
    if (!(cause instanceof PredicateError)) throw cause
    const { message, at, end } = cause
    throw badParameter(`failed to parse predicate expression: ${message}`, { cause, fields: { at, end } })
  }
}
