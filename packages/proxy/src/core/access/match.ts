/** How role text matches: `^…$` is a regular expression (RE2), all else literal with `*` for any text. Always linear. */
import { LRUCache } from 'lru-cache'
import { RE2JS } from 're2js'

const cacheSize = 2000
const compiled = new LRUCache<string, { pattern: RE2JS | undefined }>({ max: cacheSize })

const isExpression = (text: string): boolean => text.startsWith('^') && text.endsWith('$')

/** Why an expression cannot be used; undefined when it can. */
export function whyNotPattern(text: string): string | undefined {
  if (!isExpression(text)) return undefined
  try {
    RE2JS.compile(text)
    return undefined
  } catch (error) {
    return `"${text}" is not a valid expression: ${error instanceof Error ? error.message : String(error)}`
  }
}

function compile(text: string): RE2JS | undefined {
  const source = isExpression(text)
    ? text
    : `^${text
        .split('*')
        .map((part) => RE2JS.quote(part))
        .join('.*')}$`
  try {
    return RE2JS.compile(source, RE2JS.DOTALL)
  } catch {
    // A stored role that cannot be compiled matches nothing; roles are checked with whyNotPattern before they are stored.
    return undefined
  }
}

export function matches(pattern: string, value: string): boolean {
  if (pattern === '*' || pattern === value) return true
  if (!pattern.includes('*') && !isExpression(pattern)) return false
  let entry = compiled.get(pattern)
  if (!entry) {
    entry = { pattern: compile(pattern) }
    compiled.set(pattern, entry)
  }
  return entry.pattern?.testExact(value) ?? false
}

export const matchesAny = (patterns: readonly string[], value: string): boolean => patterns.some((pattern) => matches(pattern, value))

/** Label key → accepted values. */
export type LabelSelector = Readonly<Record<string, readonly string[]>>
export type Labels = Readonly<Record<string, string>>

/** An empty selector matches nothing, `{"*": ["*"]}` everything; otherwise every key must be there with one of its values. */
export function matchesLabels(selector: LabelSelector, labels: Labels): boolean {
  const wanted = Object.entries(selector)
  if (wanted.length === 0) return false
  return wanted.every(([key, values]) => {
    if (key === '*') return values.includes('*')
    return Object.hasOwn(labels, key) && matchesAny(values, labels[key] ?? '')
  })
}
