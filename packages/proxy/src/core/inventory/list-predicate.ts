/** The `query` of lists: an expression over labels, name and the fields of the listed resource. */
import { PredicateError } from '@sallyport/protocols/predicate/expression.ts'
import type { Call, Expression, Path } from '@sallyport/protocols/predicate/expression.ts'
import { listQueryLanguage } from '@sallyport/protocols/predicate/languages.ts'
import type { Labels } from '../access/match.ts'
import { badParameter } from '../errors.ts'
import { areEqual, compileTest, containsOne, fieldAt, readCondition, valuesOf } from './predicate.ts'
import type { Meanings, Operand } from './predicate.ts'
import { addAll, filterSlots, hasSlot, inBoth, inFirst, noSlots } from './slot-set.ts'
import type { SlotSet } from './slot-set.ts'

/** What a listed resource, of any kind, shows to a query. */
export interface Queried {
  /** The host name of a server, the name of anything else. */
  name: string
  labels: Labels
  /** The resource as the contract spells its fields: `{ kind, metadata, spec }`. */
  resource(): unknown
  /** Its field of that name. */
  spec(): unknown
}

/** Resources in slots, as a query asks for them: as many at once as can be. Answers are remembered under the name of a test. */
export interface QueriedSlots {
  /** Those that match a search word, which is in lower case. */
  withWord(word: string): SlotSet
  /** Those whose labels pass. A test that looks at one label only tells its key. */
  withLabels(passes: (labels: Labels) => boolean, key: string | undefined, name: string): SlotSet
  /** Those of `among` that pass. A test whose answer does not last has no name. */
  filter(among: SlotSet, passes: (subject: Queried) => boolean, name: string | undefined): SlotSet
}

/** Which of some resources an expression is true of. */
export type ListQuery = (slots: QueriedSlots, among: SlotSet) => SlotSet

/** For a resource that is in no index: whether the expression is true of it. */
export function isTrueOf(query: ListQuery, subject: Queried, hasWord: (word: string) => boolean): boolean {
  const alone = (isIn: boolean): SlotSet => new Uint32Array([Number(isIn)])
  const slots: QueriedSlots = {
    withWord: (word) => alone(hasWord(word)),
    withLabels: (passes) => alone(passes(subject.labels)),
    filter: (among, passes) => filterSlots(among, () => passes(subject)),
  }
  return hasSlot(query(slots, alone(true)), 0)
}

const none: readonly string[] = []

const both =
  (test: (a: readonly string[], b: readonly string[]) => boolean) =>
  <S>([a, b]: readonly Operand<S>[]) =>
  (subject: S): boolean =>
    a !== undefined && b !== undefined && test(a.read(subject), b.read(subject))

const functions = {
  equals: both(areEqual),
  contains: both(containsOne),
  hasPrefix: both(([text], [prefix]) => text !== undefined && prefix !== undefined && text.startsWith(prefix)),
  exists:
    <S>([label]: readonly Operand<S>[]) =>
    (subject: S): boolean =>
      (label?.read(subject).length ?? 0) > 0,
  split:
    <S>([text, separator]: readonly Operand<S>[]) =>
    (subject: S): readonly string[] => {
      const [whole] = text?.read(subject) ?? []
      const [at] = separator?.read(subject) ?? []
      return whole === undefined || at === undefined ? [] : whole.split(at)
    },
}

const labelOf = (labels: Labels, key: string): readonly string[] => {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined
  return value === undefined ? none : [value]
}
const ofLabels: Meanings<Labels> = {
  name:
    ([, key = '']) =>
    (labels) =>
      labelOf(labels, key),
  functions,
}
const ofResources: Meanings<Queried> = {
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
    return ({ labels }) => labelOf(labels, key)
  },
  functions,
}

/** Undefined without a query: everything passes. Throws bad parameter for one that cannot be read. */
export function compileListQuery(query: string | undefined): ListQuery | undefined {
  if (!query?.trim()) return undefined
  try {
    return compileSets(readCondition(query, listQueryLanguage))
  } catch (cause) {
    if (!(cause instanceof PredicateError)) throw cause
    const { message, at, end } = cause
    throw badParameter(`failed to parse predicate expression: ${message}`, { cause, fields: { at, end } })
  }
}

function compileSets(expression: Expression): ListQuery {
  const paths = pathsOf(expression)
  const isAboutLabels = paths.every(([root]) => root === 'labels') && !searches(expression)
  const [key = '', ...others] = paths.map((path) => path[1])
  const isAboutOne = isAboutLabels && others.every((other) => other === key)
  if (isAboutOne) return judgeLabels(expression, key)
  switch (expression.kind) {
    case 'and': {
      const parts = cheapestFirst(expression.of).map(compileSets)
      return (slots, among) => parts.reduce((left, part) => part(slots, left), among)
    }
    case 'or': {
      const parts = cheapestFirst(expression.of).map(compileSets)
      return (slots, among) => {
        const found = noSlots(among.length * 32)
        for (const part of parts) addAll(found, part(slots, inFirst(among, found)))
        return found
      }
    }
    case 'not': {
      const part = compileSets(expression.of)
      return (slots, among) => inFirst(among, part(slots, among))
    }
    case 'call':
      return expression.name === 'search' ? findWords(expression) : testEach(expression, paths, isAboutLabels)
    case 'compare':
    case 'path':
    case 'text':
    case 'number':
    case 'boolean':
      return testEach(expression, paths, isAboutLabels)
  }
}

function testEach(expression: Expression, paths: readonly Path['path'][], isAboutLabels: boolean): ListQuery {
  if (isAboutLabels) return judgeLabels(expression, undefined)
  const passes = compileTest(expression, ofResources)
  const name = paths.every(isLasting) ? nameOf(expression) : undefined
  return (slots, among) => slots.filter(among, passes, name)
}

/** Whether what it reads stays as it is; when a resource expires does not. */
const isLasting = ([root, field]: Path['path']): boolean => root !== 'resource' || field === 'spec'
/** The same for the same expression, wherever it stands. */
const nameOf = (expression: Expression): string =>
  JSON.stringify(expression, (key, value: unknown) => (key === 'at' || key === 'end' ? undefined : value))

/** `key`: of the only label that it looks at. */
function judgeLabels(expression: Expression, key: string | undefined): ListQuery {
  const passes = compileTest(expression, ofLabels)
  const name = nameOf(expression)
  return (slots, among) => inBoth(among, slots.withLabels(passes, key, name))
}

function findWords({ operands }: Call): ListQuery {
  const words = operands.map((operand) => (operand.kind === 'text' ? operand.value.toLowerCase() : ''))
  return (slots, among) => words.reduce((left, word) => inBoth(left, slots.withWord(word)), among)
}

/** What is asked of all at once comes before what each is asked by itself. */
const cheapestFirst = (parts: readonly Expression[]): readonly Expression[] => parts.toSorted((a, b) => cost(a) - cost(b))
const cost = (expression: Expression): number => Number(pathsOf(expression).some(([root]) => root !== 'labels'))

/** Searches stand where conditions stand, and in nothing else. */
function searches(expression: Expression): boolean {
  if (expression.kind === 'and' || expression.kind === 'or') return expression.of.some(searches)
  if (expression.kind === 'not') return searches(expression.of)
  return expression.kind === 'call' && expression.name === 'search'
}

function pathsOf(expression: Expression): Path['path'][] {
  switch (expression.kind) {
    case 'and':
    case 'or':
      return expression.of.flatMap(pathsOf)
    case 'not':
      return pathsOf(expression.of)
    case 'compare':
      return [expression.left, expression.right].flatMap(pathsOf)
    case 'call':
      return expression.operands.flatMap(pathsOf)
    case 'path':
      return [expression.path]
    case 'text':
    case 'number':
    case 'boolean':
      return []
  }
}
