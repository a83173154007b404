/** Which names, functions and operators an expression may use, and what an expression that uses others is told. */
import { PredicateError } from './expression.ts'
import type { Expression } from './expression.ts'

export interface FunctionShape {
  /** What its operands are called, for messages and completion; the last one of `rest` may repeat or be left out. */
  operands: readonly string[]
  rest?: string
  /** `value`: a text or a list of texts. */
  gives: 'boolean' | 'value'
}

/** A name such as `user.spec.traits`, and how many parts more may or must follow it. */
export interface IdentifierShape {
  path: string
  parts: readonly [least: number, most: number]
}

export interface Language {
  functions: Readonly<Record<string, FunctionShape>>
  identifiers: readonly IdentifierShape[]
  /** Whether `==` and `!=` may be used. */
  comparisons: boolean
  /** Further rules for a call whose function and number of operands are right. */
  whyNotCall?: (name: string, operands: readonly Expression[]) => string | undefined
}

/** Checks an expression that must be true or false. Throws PredicateError. */
export function checkCondition(expression: Expression, language: Language): void {
  switch (expression.kind) {
    case 'and':
    case 'or':
      for (const part of expression.of) checkCondition(part, language)
      return
    case 'not':
      return checkCondition(expression.of, language)
    case 'compare':
      if (!language.comparisons) throw new PredicateError(`"${expression.sign}" cannot be used here; use equals(a, b)`, expression)
      checkValue(expression.left, language)
      return checkValue(expression.right, language)
    case 'boolean':
      return
    case 'call':
      return checkCall(expression, language, 'boolean')
    case 'path':
      checkPath(expression, language)
      throw neitherTrueNorFalse(expression)
    case 'text':
    case 'number':
      throw neitherTrueNorFalse(expression)
  }
}

const neitherTrueNorFalse = (expression: Expression): PredicateError =>
  new PredicateError('this is neither true nor false; compare it or use a function', expression)

function checkValue(expression: Expression, language: Language): void {
  switch (expression.kind) {
    case 'text':
    case 'number':
    case 'boolean':
      return
    case 'path':
      return checkPath(expression, language)
    case 'call':
      return checkCall(expression, language, 'value')
    case 'and':
    case 'or':
    case 'not':
    case 'compare':
      throw new PredicateError('a text, a name or a function is needed here, not a condition', expression)
  }
}

function checkCall(call: Extract<Expression, { kind: 'call' }>, language: Language, wanted: FunctionShape['gives']): void {
  const shape = Object.hasOwn(language.functions, call.name) ? language.functions[call.name] : undefined
  if (!shape) throw new PredicateError(`function ${call.name} is not defined`, call)
  const given = call.operands.length
  if (given < shape.operands.length || (given > shape.operands.length && shape.rest === undefined))
    throw new PredicateError(`wrong number of operands: it is ${showFunction(call.name, shape)}`, call)
  for (const operand of call.operands) checkValue(operand, language)
  const reason = language.whyNotCall?.(call.name, call.operands)
  if (reason !== undefined) throw new PredicateError(reason, call)
  if (shape.gives !== wanted)
    throw new PredicateError(
      wanted === 'boolean'
        ? `${call.name} gives a value, neither true nor false; compare it or use a function`
        : `${call.name} gives true or false; a value is needed here`,
      call,
    )
}

/** `contains(list, value)`: as messages and completion show it. */
export const showFunction = (name: string, { operands, rest }: FunctionShape): string =>
  `${name}(${[...operands, ...(rest === undefined ? [] : [`${rest}, …`])].join(', ')})`

function checkPath({ path, at, end }: Extract<Expression, { kind: 'path' }>, language: Language): void {
  const whole = path.join('.')
  const shape = language.identifiers.find((known) => whole === known.path || whole.startsWith(`${known.path}.`))
  if (!shape) throw new PredicateError(`identifier ${whole} is not defined`, { at, end })
  const own = shape.path.split('.').length
  const [least, most] = shape.parts
  if (path.length < own + least) throw new PredicateError(`identifier ${whole} needs a key: ${whole}["key"]`, { at, end })
  if (path.length > own + most)
    throw new PredicateError(`only ${countFields(own + most)} supported with identifier "${shape.path}", got ${path.length}: ${whole}`, {
      at,
      end,
    })
}

const countFields = (most: number): string => (most === 1 ? 'one field is' : `up to ${most} fields are`)
