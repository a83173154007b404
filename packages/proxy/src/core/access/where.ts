/** Conditions in roles: `where` of rules and requests, `filter` of session joins and thresholds. */
import { PredicateError } from '@sallyport/protocols/predicate/expression.ts'
import type { Expression } from '@sallyport/protocols/predicate/expression.ts'
import type { Language } from '@sallyport/protocols/predicate/language.ts'
import { joinLanguage, ruleLanguage, thresholdLanguage } from '@sallyport/protocols/predicate/languages.ts'
import { parsePredicate } from '@sallyport/protocols/predicate/parse.ts'
import { areEqual, compilePredicate, containsOne, fieldAt, valuesOf } from '../inventory/predicate.ts'
import type { Meanings, Operand, Values } from '../inventory/predicate.ts'

/** What a condition is about: `{ user, resource, session, … }`. */
export type Subject = Readonly<Record<string, unknown>>

const both =
  (test: (a: Values, b: Values) => boolean) =>
  ([a, b]: readonly Operand<Subject>[]) =>
  (subject: Subject): boolean =>
    a !== undefined && b !== undefined && test(a.read(subject), b.read(subject))

const meanings: Meanings<Subject> = {
  name: (path) => (subject) => valuesOf(fieldAt(subject, path)),
  functions: {
    equals: both(areEqual),
    contains: both(containsOne),
    all_equal: both((list, [value]) => list.length > 0 && list.every((item) => item === value)),
    all_end_with: both((list, [suffix]) => list.length > 0 && suffix !== undefined && list.every((item) => item.endsWith(suffix))),
    is_subset:
      ([list, ...others]) =>
      (subject) => {
        const items = list?.read(subject) ?? []
        const allowed = new Set(others.flatMap(({ read }) => read(subject)))
        return items.length > 0 && items.every((item) => allowed.has(item))
      },
    /** `user`, `host`, …: what kind of authority the certificate authority at hand is. */
    'system.catype': () => (subject) => valuesOf(fieldAt(subject, ['resource', 'spec', 'type'])),
  },
}

const languages = { where: ruleLanguage, join: joinLanguage, threshold: thresholdLanguage } as const satisfies Record<string, Language>
export type ConditionKind = keyof typeof languages

/** Why text is no condition; undefined when it is one. */
export function whyNotCondition(source: string, kind: ConditionKind = 'where'): string | undefined {
  try {
    compilePredicate(source, languages[kind], meanings)
    return undefined
  } catch (error) {
    if (!(error instanceof PredicateError)) throw error
    return `could not parse the ${kind === 'where' ? 'where clause' : 'filter'}: ${error.message} (at character ${error.at + 1})`
  }
}

export interface Condition {
  test(subject: Subject): boolean
  /** True when it asks about the person alone: then it can be judged without a thing at hand. */
  aboutUser: boolean
}

/** Undefined for text that is no condition. */
export function compileCondition(source: string, kind: ConditionKind = 'where'): Condition | undefined {
  try {
    return { test: compilePredicate(source, languages[kind], meanings), aboutUser: isAboutUser(parsePredicate(source)) }
  } catch (error) {
    if (error instanceof PredicateError) return undefined
    throw error
  }
}

function isAboutUser(expression: Expression): boolean {
  switch (expression.kind) {
    case 'and':
    case 'or':
      return expression.of.every(isAboutUser)
    case 'not':
      return isAboutUser(expression.of)
    case 'compare':
      return isAboutUser(expression.left) && isAboutUser(expression.right)
    case 'call':
      return expression.name !== 'system.catype' && expression.operands.every(isAboutUser)
    case 'path':
      return expression.path[0] === 'user'
    case 'text':
    case 'number':
    case 'boolean':
      return true
  }
}
