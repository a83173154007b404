/** How role text matches: `^…$` is a regular expression (RE2), all else literal with `*` for any text. Always linear. */
import { LRUCache } from 'lru-cache'
import { RE2JS } from 're2js'

export type Matcher = (value: string) => boolean

const cacheSize = 2000
const compiled = new LRUCache<string, Matcher>({ max: cacheSize })

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

function compile(pattern: string): Matcher {
  if (pattern === '*') return () => true
  if (isExpression(pattern)) return compileExpression(pattern)
  return pattern.includes('*') ? compileGlob(pattern.split('*')) : (value) => value === pattern
}

function compileExpression(source: string): Matcher {
  try {
    const expression = RE2JS.compile(source, RE2JS.DOTALL)
    return (value) => value === source || expression.testExact(value)
  } catch {
    // A stored role that cannot be compiled matches nothing; roles are checked with whyNotPattern before they are stored.
    return () => false
  }
}

/** `parts`: what stands between the stars. The first place where each one fits is as good as any later one. */
function compileGlob(parts: readonly string[]): Matcher {
  const [first = ''] = parts
  const last = parts.at(-1) ?? ''
  const inner = parts.slice(1, -1)
  return (value) => {
    if (value.length < first.length + last.length || !value.startsWith(first) || !value.endsWith(last)) return false
    const end = value.length - last.length
    let at = first.length
    for (const part of inner) {
      const found = value.indexOf(part, at)
      if (found === -1 || found + part.length > end) return false
      at = found + part.length
    }
    return true
  }
}

export function compilePattern(pattern: string): Matcher {
  let matcher = compiled.get(pattern)
  if (!matcher) {
    matcher = compile(pattern)
    compiled.set(pattern, matcher)
  }
  return matcher
}

export const matches = (pattern: string, value: string): boolean => compilePattern(pattern)(value)

export const matchesAny = (patterns: readonly string[], value: string): boolean => patterns.some((pattern) => matches(pattern, value))

/** Label key → accepted values. */
export type LabelSelector = Readonly<Record<string, readonly string[]>>
export type Labels = Readonly<Record<string, string>>

/** An empty selector matches nothing, `{"*": ["*"]}` everything; otherwise every key must be there with one of its values. */
export function matchesLabels(selector: LabelSelector, labels: Labels): boolean {
  const wanted = Object.entries(selector)
  return wanted.length > 0 && wanted.every(([key, values]) => matchesLabel(key, values, labels))
}

export function matchesLabel(key: string, values: readonly string[], labels: Labels): boolean {
  if (key === '*') return values.includes('*')
  return Object.hasOwn(labels, key) && matchesAny(values, labels[key] ?? '')
}
