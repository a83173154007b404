/** The words of an expression. */
import { PredicateError } from './expression.ts'
import type { Span } from './expression.ts'

export type Token = Span &
  (
    | { kind: 'sign'; value: '&&' | '||' | '!' | '==' | '!=' | '(' | ')' | '[' | ']' | ',' | '.' }
    | { kind: 'name'; value: string }
    | { kind: 'text'; value: string }
    | { kind: 'number'; value: number }
  )
type Sign = Extract<Token, { kind: 'sign' }>['value']

const space = /\s+/y
const sign = /&&|\|\||==|!=|[!()[\],.]/y
const name = /[\p{L}_][\p{L}\p{N}_]*/uy
const number = /-?\d+(?:\.\d+)?/y
const quoted = /"((?:[^"\\\n]|\\.)*)"/y
const raw = /`([^`]*)`/y

/** Throws PredicateError. */
export function readTokens(source: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  const match = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(source) ?? undefined
    at += found?.[0].length ?? 0
    return found
  }
  while (at < source.length) {
    if (match(space)) continue
    const from = at
    const read = (): Token => {
      let found = match(sign)
      if (found) return { kind: 'sign', value: found[0] as Sign, at: from, end: at }
      found = match(name)
      if (found) return { kind: 'name', value: found[0], at: from, end: at }
      found = match(number)
      if (found) return { kind: 'number', value: Number(found[0]), at: from, end: at }
      found = match(quoted)
      if (found) return { kind: 'text', value: unescape(found[1] ?? '', from + 1), at: from, end: at }
      found = match(raw)
      if (found) return { kind: 'text', value: found[1] ?? '', at: from, end: at }
      throw new PredicateError(whyNoToken(source, from), { at: from, end: from + 1 })
    }
    tokens.push(read())
  }
  return tokens
}

function whyNoToken(source: string, at: number): string {
  const character = String.fromCodePoint(source.codePointAt(at) ?? 0)
  if (character === "'") return 'text stands in double quotes, not in single ones'
  if (character === '"' || character === '`') return 'the text that begins here has no end'
  if (character === '=') return 'a single = means nothing here; compare with =='
  if (character === '&' || character === '|') return `a single ${character} means nothing here; use ${character}${character}`
  return `unexpected character ${JSON.stringify(character)}`
}

const simple: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v', a: '\x07', '\\': '\\', '"': '"' }
const escape = /\\(?:x([\da-f]{2})|u([\da-f]{4})|U([\da-f]{8})|(.))/gi

/** `at`: where the text stands in the source. */
function unescape(text: string, at: number): string {
  return text.replaceAll(escape, (whole: string, ...found: unknown[]) => {
    const [byte, short, long, letter] = found.map((part) => (typeof part === 'string' ? part : undefined))
    const offset = Number(found[4])
    const code = byte ?? short ?? long
    const character =
      code === undefined
        ? simple[letter ?? '']
        : Number.parseInt(code, 16) <= 0x10_ff_ff
          ? String.fromCodePoint(Number.parseInt(code, 16))
          : undefined
    if (character === undefined) throw new PredicateError(`unknown escape ${whole}`, { at: at + offset, end: at + offset + whole.length })
    return character
  })
}
