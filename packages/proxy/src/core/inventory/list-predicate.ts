/** The `query` of lists: an expression over labels, name and the fields of the listed resource. */
import { PredicateError } from '@sallyport/protocols/predicate/expression.ts'
import type { Expression } from '@sallyport/protocols/predicate/expression.ts'
import { listQueryLanguage } from '@sallyport/protocols/predicate/languages.ts'
import { badParameter } from '../errors.ts'
import { areEqual, compilePredicate, containsOne, fieldAt, valuesOf } from './predicate.ts'
import type { Meanings, Operand } from './predicate.ts'

/** What a listed resource, of any kind, shows to a query. */
export interface Queried {
  /** The host name of a server, the name of anything else. */
  name: string
  labels: Readonly<Record<string, string>>
  /** A small number; resources with the same have the same labels. */
  labelSlot: number
  /** The resource as the contract spells its fields: `{ kind, metadata, spec }`. */
  resource(): unknown
  /** Its field of that name. */
  spec(): unknown
}

const none: readonly string[] = []

const both =
  (test: (a: readonly string[], b: readonly string[]) => boolean) =>
  <S>([a, b]: readonly Operand<S>[]) =>
  (subject: S): boolean =>
    a !== undefined && b !== undefined && test(a.read(subject), b.read(subject))

/** Whether a resource matches a search word, which is in lower case. */
export type WordTest<S> = (word: string) => (subject: S) => boolean

function isAboutLabels(expression: Expression): boolean {
  switch (expression.kind) {
    case 'and':
    case 'or':
      return expression.of.every(isAboutLabels)
    case 'not':
      return isAboutLabels(expression.of)
    case 'compare':
      return isAboutLabels(expression.left) && isAboutLabels(expression.right)
    case 'call':
      return expression.name !== 'search' && expression.operands.every(isAboutLabels)
    case 'path':
      return expression.path[0] === 'labels'
    case 'text':
    case 'number':
    case 'boolean':
      return true
  }
}

const meaningsWith = <S extends Queried>(matchesWord: WordTest<S>): Meanings<S> => ({
  name(path) {
    const [root, ...rest] = path
    if (root === 'name') return ({ name }) => [name]
    // Spared the rest of the document.
    if (root === 'resource' && rest[0] === 'spec') {
      const inner = rest.slice(1)
      return (subject) => valuesOf(fieldAt(subject.spec(), inner))
    }
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
    search(words) {
      const tests = words.map(({ text = '' }) => matchesWord(text.toLowerCase()))
      return (subject) => tests.every((test) => test(subject))
    },
    split:
      ([text, separator]) =>
      (subject) => {
        const [whole] = text?.read(subject) ?? []
        const [at] = separator?.read(subject) ?? []
        return whole === undefined || at === undefined ? [] : whole.split(at)
      },
  },
  shared: { slotOf: ({ labelSlot }) => labelSlot, covers: isAboutLabels },
})

/** Undefined without a query: everything passes. Throws bad parameter for one that cannot be read. */
export function compileListQuery<S extends Queried>(
  query: string | undefined,
  matchesWord: WordTest<S>,
): ((subject: S) => boolean) | undefined {
  if (!query?.trim()) return undefined
  try {
    return compilePredicate(query, listQueryLanguage, meaningsWith(matchesWord))
  } catch (cause) {
    if (!(cause instanceof PredicateError)) throw cause
    const { message, at, end } = cause
    throw badParameter(`failed to parse predicate expression: ${message}`, { cause, fields: { at, end } })
  }
}
