/** The parts of a list query that are joined by `&&`: for chips, and for labels that add and remove themselves. */
import type { Expression } from '@sallyport/protocols/predicate/expression.ts'
import { parsePredicate } from '@sallyport/protocols/predicate/parse.ts'
import { joinWords, splitWords } from './search-words.ts'

interface Parts {
  joined: 'and' | 'or' | 'one'
  clauses: string[]
}

/** A query that cannot be read (yet) is one clause. */
function partsOf(query: string): Parts {
  const text = query.trim()
  if (text === '') return { joined: 'one', clauses: [] }
  const expression = read(text)
  // Parentheses around everything make it one clause.
  const closed = text.startsWith('(') && text.endsWith(')') && read(text.slice(1, -1)) !== undefined
  if (!closed && (expression?.kind === 'and' || expression?.kind === 'or'))
    return { joined: expression.kind, clauses: outer(text, expression.of) }
  return { joined: 'one', clauses: [text] }
}

/** Undefined while it is still being typed, or is in a newer language. */
function read(text: string): Expression | undefined {
  try {
    return parsePredicate(text)
  } catch {
    return undefined
  }
}

/** The text of each operand, with the parentheses around it. */
function outer(text: string, operands: readonly { at: number; end: number }[]): string[] {
  return operands.map((operand, index) => {
    const start = operands[index - 1]?.end ?? 0
    const stop = operands[index + 1]?.at ?? text.length
    const before = text.slice(start, operand.at).replace(/^[^&|]*(&&|\|\|)/, '')
    const after = text.slice(operand.end, stop).replace(/(&&|\|\|)[^&|]*$/, '')
    return `${before}${text.slice(operand.at, operand.end)}${after}`.trim()
  })
}

export function clausesOf(query: string): string[] {
  const { joined, clauses } = partsOf(query)
  return joined === 'or' ? [query.trim()] : clauses
}

/** A query of these clauses; one that is a choice gets parentheses. */
export function joinClauses(clauses: readonly string[]): string {
  if (clauses.length < 2) return clauses[0] ?? ''
  return clauses.map((clause) => (partsOf(clause).joined === 'or' ? `(${clause})` : clause)).join(' && ')
}

const quote = (text: string): string => JSON.stringify(text)

export const labelClause = (name: string, value: string): string => `labels[${quote(name)}] == ${quote(value)}`
const squeeze = (clause: string): string => clause.replaceAll(/\s+/g, ' ')

export const hasClause = (query: string, clause: string): boolean => clausesOf(query).some((one) => squeeze(one) === clause)

/** Takes the clause out when it is there, else adds it. */
export function toggleClause(query: string, clause: string): string {
  const clauses = clausesOf(query)
  return joinClauses(hasClause(query, clause) ? clauses.filter((one) => squeeze(one) !== clause) : [...clauses, clause])
}

/** Plain words as a query; something that is one already stays. */
export function queryOfWords(text: string): string {
  const words = splitWords(text)
  return words.length === 0 ? '' : `search(${words.map(quote).join(', ')})`
}

/** The words of a query that is nothing but words, or undefined. */
export function wordsOfQuery(query: string): string | undefined {
  if (query.trim() === '') return ''
  const expression = read(query)
  if (expression?.kind !== 'call' || expression.name !== 'search') return undefined
  const words = expression.operands.map((operand) => (operand.kind === 'text' ? operand.value : ''))
  return words.includes('') ? undefined : joinWords(words)
}
