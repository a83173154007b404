/** Expressions of conditions and list queries, as read from text. Offsets count UTF-16 units from the beginning. */

/** What is wrong with an expression, and where: from `at` up to `end`. */
export class PredicateError extends Error {
  override readonly name = 'PredicateError'
  readonly at: number
  readonly end: number
  constructor(message: string, { at, end }: Span) {
    super(message)
    this.at = at
    this.end = end
  }
}

export interface Span {
  at: number
  end: number
}

interface Constant<Kind extends string, Value> extends Span {
  kind: Kind
  value: Value
}
export type Text = Constant<'text', string>

/** `user.spec.traits["team"]`: names after dots and texts in brackets alike. */
export interface Path extends Span {
  kind: 'path'
  path: readonly string[]
}
/** `email.local(x)`: the name holds its dots. */
export interface Call extends Span {
  kind: 'call'
  name: string
  operands: readonly Expression[]
}
export interface Comparison extends Span {
  kind: 'compare'
  sign: '==' | '!='
  left: Expression
  right: Expression
}
export interface Not extends Span {
  kind: 'not'
  of: Expression
}
/** Two or more, all on one level, so that a long chain is not a deep tree. */
export interface Chain extends Span {
  kind: 'and' | 'or'
  of: readonly Expression[]
}
export type Expression = Chain | Not | Comparison | Call | Path | Text | Constant<'number', number> | Constant<'boolean', boolean>
