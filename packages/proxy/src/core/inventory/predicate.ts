/** Expressions of a language become tests: read and checked once, then run as often as there are subjects. */
import { PredicateError } from '@sallyport/protocols/predicate/expression.ts'
import type { Expression } from '@sallyport/protocols/predicate/expression.ts'
import { checkCondition } from '@sallyport/protocols/predicate/language.ts'
import type { Language } from '@sallyport/protocols/predicate/language.ts'
import { parsePredicate } from '@sallyport/protocols/predicate/parse.ts'

/** What a text, a list or a field stands for: all its texts; none when there is no such thing. */
export type Values = readonly string[]
type Read<S, T> = (subject: S) => T

/** An operand as functions see it. */
export interface Operand<S> {
  read: Read<S, Values>
  /** The text itself, when the operand is one. */
  text: string | undefined
}

export interface Meanings<S> {
  name: (path: readonly string[]) => Read<S, Values>
  /** By the names of the language. One may throw Error for texts that it cannot use, such as an expression that is none. */
  functions: Readonly<Record<string, (operands: readonly Operand<S>[]) => Read<S, Values | boolean>>>
}

/** Throws PredicateError. */
export const compilePredicate = <S>(source: string, language: Language, meanings: Meanings<S>): Read<S, boolean> =>
  compileTest(readCondition(source, language), meanings)

/** Throws PredicateError. */
export function readCondition(source: string, language: Language): Expression {
  const expression = parsePredicate(source)
  checkCondition(expression, language)
  return expression
}

const none: Values = []

/** Of a condition that was checked. Throws PredicateError for what a function cannot use. */
export function compileTest<S>(expression: Expression, meanings: Meanings<S>): Read<S, boolean> {
  switch (expression.kind) {
    case 'and': {
      const parts = expression.of.map((part) => compileTest(part, meanings))
      return (subject) => {
        for (const part of parts) if (!part(subject)) return false
        return true
      }
    }
    case 'or': {
      const parts = expression.of.map((part) => compileTest(part, meanings))
      return (subject) => {
        for (const part of parts) if (part(subject)) return true
        return false
      }
    }
    case 'not': {
      const negated = compileTest(expression.of, meanings)
      return (subject) => !negated(subject)
    }
    case 'compare': {
      const left = compileValues(expression.left, meanings)
      const right = compileValues(expression.right, meanings)
      const wanted = expression.sign === '=='
      return (subject) => areEqual(left(subject), right(subject)) === wanted
    }
    case 'boolean':
      return () => expression.value
    case 'call': {
      const read = compileCall(expression, meanings)
      return (subject) => read(subject) === true
    }
    case 'path':
    case 'text':
    case 'number':
      throw new PredicateError('this is neither true nor false', expression)
  }
}

function compileValues<S>(expression: Expression, meanings: Meanings<S>): Read<S, Values> {
  switch (expression.kind) {
    case 'text':
    case 'number':
    case 'boolean': {
      const value = [String(expression.value)]
      return () => value
    }
    case 'path':
      return meanings.name(expression.path)
    case 'call': {
      const read = compileCall(expression, meanings)
      return (subject) => {
        const value = read(subject)
        return typeof value === 'boolean' ? none : value
      }
    }
    case 'and':
    case 'or':
    case 'not':
    case 'compare':
      throw new PredicateError('this is no value', expression)
  }
}

function compileCall<S>(call: Extract<Expression, { kind: 'call' }>, meanings: Meanings<S>): Read<S, Values | boolean> {
  const operands = call.operands.map((operand): Operand<S> => ({
    read: compileValues(operand, meanings),
    text: operand.kind === 'text' ? operand.value : undefined,
  }))
  const meaning = Object.hasOwn(meanings.functions, call.name) ? meanings.functions[call.name] : undefined
  if (!meaning) throw new PredicateError(`function ${call.name} is not defined`, call)
  try {
    return meaning(operands)
  } catch (error) {
    if (error instanceof PredicateError || !(error instanceof Error)) throw error
    throw new PredicateError(error.message, call)
  }
}

/** What does not exist equals nothing, not even itself. */
export const areEqual = (a: Values, b: Values): boolean =>
  a.length === 1 && b.length === 1 ? a[0] === b[0] : a.length > 0 && a.length === b.length && a.every((value, index) => value === b[index])

/** Whether one of the wanted values is in the list. */
export const containsOne = (list: Values, wanted: Values): boolean => wanted.some((value) => list.includes(value))

/** The texts of a field of a document: of a list all of them, of an object none. */
export function valuesOf(field: unknown): Values {
  if (typeof field === 'string') return [field]
  if (typeof field === 'number' || typeof field === 'boolean') return [String(field)]
  return Array.isArray(field) ? field.flatMap((item) => (Array.isArray(item) ? [] : valuesOf(item))) : none
}

/** A field of a document, by names that are its own. */
export function fieldAt(root: unknown, path: readonly string[]): unknown {
  let value = root
  for (const part of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, part)) return undefined
    value = (value as Record<string, unknown>)[part]
  }
  return value
}
