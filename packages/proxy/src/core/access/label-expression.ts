/** `node_labels_expression` and its siblings: which resources a role means, by their labels and the traits of the person. */
import { PredicateError } from '@sallyport/protocols/predicate/expression.ts'
import { labelLanguage } from '@sallyport/protocols/predicate/languages.ts'
import { RE2JS } from 're2js'
import { compilePredicate, containsOne, fieldAt, valuesOf } from '../inventory/predicate.ts'
import type { Meanings, Operand, Values } from '../inventory/predicate.ts'
import { matches, matchesAny, whyNotPattern } from './match.ts'
import type { Labels } from './match.ts'
import { localPart, replaceMatching } from './templates.ts'

export interface LabelSubject {
  labels: Labels
  /** `{ metadata: { name }, spec: { roles, traits } }` */
  user: unknown
}

const each =
  (change: (value: string) => readonly string[]) =>
  ([operand]: readonly Operand<LabelSubject>[]) =>
  (subject: LabelSubject): Values =>
    (operand?.read(subject) ?? []).flatMap(change)

function patternOf(operand: Operand<LabelSubject> | undefined): string {
  const pattern = operand?.text ?? ''
  const reason = whyNotPattern(pattern)
  if (reason !== undefined) throw new Error(reason)
  return pattern
}

/** A label that is missing is an empty text here, unlike in list queries. */
const noLabel: Values = ['']

const meanings: Meanings<LabelSubject> = {
  name: (path) =>
    path[0] === 'labels'
      ? ({ labels }) => {
          const values = valuesOf(fieldAt(labels, path.slice(1)))
          return values.length === 0 ? noLabel : values
        }
      : (subject) => valuesOf(fieldAt(subject, path)),
  functions: {
    contains:
      ([list, wanted]) =>
      (subject) =>
        containsOne(list?.read(subject) ?? [], wanted?.read(subject) ?? []),
    'regexp.match'([value, operand]) {
      const pattern = patternOf(operand)
      return (subject) => (value?.read(subject) ?? []).some((text) => matches(pattern, text))
    },
    'regexp.replace'([value, operand, replacement]) {
      const expression = compileExpression(operand?.text ?? '')
      return each((text) => replaceMatching(expression, text, replacement?.text ?? ''))(value ? [value] : [])
    },
    'email.local': each(localPart),
    'strings.upper': each((value) => [value.toUpperCase()]),
    'strings.lower': each((value) => [value.toLowerCase()]),
    labels_matching([operand]) {
      const pattern = patternOf(operand)
      return ({ labels }) => Object.entries(labels).flatMap(([key, value]) => (matchesAny([pattern], key) ? [value] : []))
    },
  },
}

function compileExpression(source: string): RE2JS {
  try {
    return RE2JS.compile(source)
  } catch {
    throw new Error(`"${source}" is not a valid expression`)
  }
}

/** Throws PredicateError. */
export const compileLabelExpression = (source: string): ((subject: LabelSubject) => boolean) =>
  compilePredicate(source, labelLanguage, meanings)

/** Why text is no label expression; undefined when it is one. */
export function whyNotLabelExpression(source: string): string | undefined {
  try {
    compileLabelExpression(source)
    return undefined
  } catch (error) {
    if (!(error instanceof PredicateError)) throw error
    return `could not parse the label expression: ${error.message} (at character ${error.at + 1})`
  }
}
