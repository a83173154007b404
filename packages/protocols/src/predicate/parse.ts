/**
 * The grammar that rule conditions, label expressions and list queries share:
 *
 *     expression := and { "||" and }
 *     and        := unary { "&&" unary }
 *     unary      := "!" unary | operand [ ( "==" | "!=" ) operand ]
 *     operand    := "(" expression ")" | text | number | true | false | name { "." name | "[" text "]" } | name { "." name } "(" [ operand { "," operand } ] ")"
 *
 * What names and functions there are is another matter: see language.ts.
 */
import { PredicateError } from './expression.ts'
import type { Expression, Span } from './expression.ts'
import { readTokens } from './tokens.ts'
import type { Token } from './tokens.ts'

const maxLength = 8192
const maxDepth = 50

/** Throws PredicateError. */
export function parsePredicate(source: string): Expression {
  if (source.length > maxLength)
    throw new PredicateError(`it is longer than ${maxLength} characters`, { at: maxLength, end: source.length })
  const reader = new Reader(readTokens(source), source.length)
  const expression = readOr(reader, 0)
  if (reader.peek()) throw reader.unexpected()
  return expression
}

class Reader {
  readonly #tokens: readonly Token[]
  readonly #length: number
  #next = 0
  constructor(tokens: readonly Token[], length: number) {
    this.#tokens = tokens
    this.#length = length
  }
  peek(): Token | undefined {
    return this.#tokens[this.#next]
  }
  take(): Token {
    const token = this.peek()
    if (!token) throw this.unexpected()
    this.#next += 1
    return token
  }
  /** Whether the sign is next; it is taken then. */
  takes(sign: string): boolean {
    const token = this.peek()
    if (token?.kind !== 'sign' || token.value !== sign) return false
    this.#next += 1
    return true
  }
  expect(sign: string): Span {
    const token = this.peek()
    if (!this.takes(sign)) throw new PredicateError(`"${sign}" is missing`, token ?? this.#ending())
    return token ?? this.#ending()
  }
  unexpected(): PredicateError {
    const token = this.peek()
    if (!token) return new PredicateError('the expression ends too early', this.#ending())
    return new PredicateError(`unexpected ${token.kind === 'text' ? JSON.stringify(token.value) : token.value}`, token)
  }
  #ending(): Span {
    return { at: this.#length, end: this.#length }
  }
}

const readOr = (reader: Reader, depth: number): Expression => readChain(reader, 'or', '||', readAnd, depth)
const readAnd = (reader: Reader, depth: number): Expression => readChain(reader, 'and', '&&', readUnary, depth)

function readChain(
  reader: Reader,
  kind: 'or' | 'and',
  sign: string,
  readNext: (reader: Reader, depth: number) => Expression,
  depth: number,
): Expression {
  const first = readNext(reader, depth)
  const of = [first]
  while (reader.takes(sign)) of.push(readNext(reader, depth))
  return of.length === 1 ? first : { kind, of, at: first.at, end: of.at(-1)?.end ?? first.end }
}

function readUnary(reader: Reader, depth: number): Expression {
  const token = reader.peek()
  if (depth > maxDepth) throw new PredicateError('it is nested too deeply', token ?? { at: 0, end: 0 })
  if (token && reader.takes('!')) {
    const of = readNegated(reader, depth + 1)
    return { kind: 'not', of, at: token.at, end: of.end }
  }
  const left = readOperand(reader, depth)
  for (const sign of ['==', '!='] as const)
    if (reader.takes(sign)) {
      const right = readOperand(reader, depth)
      return { kind: 'compare', sign, left, right, at: left.at, end: right.end }
    }
  return left
}

/** What follows "!" is one thing: `!a == b` could be read in two ways, and is refused. */
function readNegated(reader: Reader, depth: number): Expression {
  const token = reader.peek()
  const negated = token?.kind === 'sign' && token.value === '!' ? readUnary(reader, depth) : readOperand(reader, depth)
  const after = reader.peek()
  if (after?.kind === 'sign' && (after.value === '==' || after.value === '!='))
    throw new PredicateError('put what "!" negates into parentheses', after)
  return negated
}

function readOperand(reader: Reader, depth: number): Expression {
  const token = reader.peek()
  if (depth > maxDepth) throw new PredicateError('it is nested too deeply', token ?? { at: 0, end: 0 })
  if (!token) throw reader.unexpected()
  if (reader.takes('(')) {
    const inner = readOr(reader, depth + 1)
    return { ...inner, at: token.at, end: reader.expect(')').end }
  }
  if (token.kind === 'sign') throw reader.unexpected()
  reader.take()
  if (token.kind === 'name') return readNamed(reader, token, depth)
  return token
}

function readNamed(reader: Reader, first: Token & { kind: 'name' }, depth: number): Expression {
  if (first.value === 'true' || first.value === 'false')
    return { kind: 'boolean', value: first.value === 'true', at: first.at, end: first.end }
  const path = [first.value]
  let { end } = first
  let indexed = false
  for (;;) {
    if (reader.takes('.')) {
      const part = reader.take()
      if (part.kind !== 'name') throw new PredicateError('a name is missing after "."', part)
      path.push(part.value)
      end = part.end
    } else if (reader.takes('[')) {
      const part = reader.take()
      if (part.kind !== 'text') throw new PredicateError('text in double quotes is missing after "["', part)
      path.push(part.value)
      end = reader.expect(']').end
      indexed = true
    } else if (!indexed && reader.takes('(')) {
      const operands: Expression[] = []
      for (;;) {
        const next = reader.peek()
        if (next && reader.takes(')')) return { kind: 'call', name: path.join('.'), operands, at: first.at, end: next.end }
        if (operands.length > 0) reader.expect(',')
        operands.push(readOr(reader, depth + 1))
      }
    } else return { kind: 'path', path, at: first.at, end }
  }
}
