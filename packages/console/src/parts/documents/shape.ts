/** What a document may look like: enough to complete, to explain and to warn. The proxy has the last word. */
import { isMap, isNode, isScalar, isSeq } from 'yaml'
import type { Document, Node } from 'yaml'
import { formatPath } from './yaml-text.ts'
import type { Path } from './yaml-text.ts'

/** `note` is one line of help. */
export type Shape = { note?: string } & (
  | { is: 'map'; fields: Readonly<Record<string, Shape>>; required?: readonly string[] }
  /** Any keys. */
  | { is: 'named'; of: Shape }
  /** `single`: one value may stand without its list. */
  | { is: 'list'; of: Shape; single?: true }
  /** `values` are offered; with `only` nothing else is right. `whyNot` says what is wrong with a text. */
  | { is: 'text'; values?: readonly string[]; only?: true; whyNot?: (text: string) => string | undefined; example?: string }
  | { is: 'flag' }
  | { is: 'number' }
  | { is: 'any' }
)

export interface Problem {
  path: Path
  from: number
  to: number
  severity: 'error' | 'warning'
  message: string
}

/** The description of what stands at a path, or undefined where nothing is known of it. */
export function shapeAt(shape: Shape, path: Path): Shape | undefined {
  let at: Shape | undefined = shape
  for (const part of path) {
    if (at?.is === 'map') at = typeof part === 'string' && Object.hasOwn(at.fields, part) ? at.fields[part] : undefined
    else if (at?.is === 'named' || at?.is === 'list') at = at.of
    else return undefined
  }
  return at
}

/** Everything in the document that does not fit. Unknown fields are warnings: a newer proxy may know them. */
export function checkShape(document: Document, shape: Shape): Problem[] {
  const problems: Problem[] = []
  const say = (node: Node | undefined, path: Path, severity: Problem['severity'], message: string): void => {
    const [from, to] = node?.range ?? [0, 0]
    problems.push({ path, from, to, severity, message })
  }
  const check = (value: unknown, at: Shape, path: Path, key: Node | undefined): void => {
    const node = isNode(value) ? value : undefined
    const blame = node?.range && node.range[1] > node.range[0] ? node : key
    if (node === undefined || (isScalar(node) && node.value === null)) return
    if (at.is === 'any' || (!isScalar(node) && !isMap(node) && !isSeq(node))) return
    if (at.is === 'map' || at.is === 'named') {
      if (!isMap(node)) return say(blame, path, 'error', `${lastOf(path)} takes fields, one on each line`)
      for (const pair of node.items) {
        const name = String(isScalar(pair.key) ? pair.key.value : pair.key)
        const pairKey = isNode(pair.key) ? pair.key : undefined
        const of = at.is === 'named' ? at.of : Object.hasOwn(at.fields, name) ? at.fields[name] : undefined
        if (of) check(pair.value, of, [...path, name], pairKey)
        else say(pairKey, [...path, name], 'warning', unknownField(name, at.is === 'map' ? Object.keys(at.fields) : []))
      }
      for (const name of at.is === 'map' ? (at.required ?? []) : [])
        if (!node.has(name)) say(key ?? firstKey(node), path, 'error', `${formatPath([...path, name])} is missing`)
    } else if (at.is === 'list') {
      if (isSeq(node)) for (const [index, item] of node.items.entries()) check(item, at.of, [...path, index], isNode(item) ? item : key)
      else if (at.single && isScalar(node)) check(node, at.of, path, key)
      else say(blame, path, 'error', `${lastOf(path)} takes a list`)
    } else if (!isScalar(node)) say(blame, path, 'error', `${lastOf(path)} takes a single value`)
    else {
      const message = whyNotScalar(node.value, at, lastOf(path))
      if (message !== undefined) say(blame, path, 'error', message)
    }
  }
  check(document.contents, shape, [], undefined)
  return problems
}

function whyNotScalar(value: unknown, at: Shape, name: string): string | undefined {
  if (at.is === 'flag')
    return typeof value === 'boolean' || /^(yes|no|on|off|0|1)$/i.test(String(value)) ? undefined : `${name} is true or false`
  if (at.is === 'number') return typeof value === 'number' ? undefined : `${name} takes a number`
  if (at.is !== 'text') return undefined
  const text = String(value)
  if (at.only && at.values && !at.values.includes(text)) return `“${text}” is not one of ${at.values.join(', ')}`
  return at.whyNot?.(text)
}

const lastOf = (path: Path): string => String(path.findLast((part) => typeof part === 'string') ?? 'the document')
const firstKey = (node: Node): Node | undefined => {
  const key = isMap(node) ? node.items[0]?.key : undefined
  return isNode(key) ? key : node
}

function unknownField(name: string, known: readonly string[]): string {
  const near = known.toSorted((a, b) => distance(a, name) - distance(b, name))[0]
  return near !== undefined && distance(near, name) <= 3
    ? `${name} is not a known field. Did you mean ${near}?`
    : `${name} is not a known field`
}

/** How many letters differ (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries())
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (letter === other ? 0 : 1)))
    row = next
  }
  return row.at(-1) ?? 0
}
