/** Where in a YAML text somebody is typing. By indentation alone, because a text being typed is rarely well-formed. */

export interface CursorPlace {
  /** The path of the map (for a key) or of the value (for a value); `0` stands for any entry of a list. */
  path: (string | number)[]
  at: 'key' | 'value'
  /** What has been typed of it. */
  typed: string
  /** Where the typed part begins, counted from the start of the text. */
  from: number
}

interface Line {
  indent: number
  /** Dashes before the content, each with its own indentation. */
  dashes: number[]
  key: string | undefined
  /** What follows the key, or the whole content without one. */
  rest: string
}

const keyPattern = /^("(?:[^"\\]|\\.)*"|'[^']*'|[^\s#:'"{}[\],][^#:{}[\],]*?)\s*:(?=\s|$)/

function readLine(text: string): Line | undefined {
  let indent = 0
  const dashes: number[] = []
  let rest = text
  for (;;) {
    const spaces = rest.length - rest.trimStart().length
    indent += spaces
    rest = rest.slice(spaces)
    if (rest !== '-' && !rest.startsWith('- ')) break
    dashes.push(indent)
    indent += 1
    rest = rest.slice(1)
  }
  if (rest === '' && dashes.length === 0) return undefined
  if (rest.startsWith('#') || rest === '---') return undefined
  const match = keyPattern.exec(rest)
  return { indent, dashes, key: match?.[1]?.replaceAll(/^["']|["']$/g, ''), rest: match ? rest.slice(match[0].length) : rest }
}

/** The place of the cursor, or undefined inside a comment. */
export function placeAt(text: string, position: number): CursorPlace | undefined {
  const start = text.lastIndexOf('\n', position - 1) + 1
  const before = text.slice(start, position)
  if (/(^|\s)#/.test(before)) return undefined
  const line = readLine(before) ?? { indent: before.length, dashes: [], key: undefined, rest: '' }
  const above = text.slice(0, start).split('\n').slice(0, -1)
  const parents = (indent: number, dashes: readonly number[]): (string | number)[] => pathAbove(above, indent, dashes)
  if (line.key !== undefined) {
    const path = [...parents(line.indent, line.dashes), line.key]
    const flow = /\[([^\]]*)$/.exec(line.rest)
    const open = flow ? (flow[1] ?? '').split(/,\s*(?=(?:[^"']|"[^"]*"|'[^']*')*$)/).at(-1) : line.rest
    const typed = (open ?? '').trimStart().replace(/^["']/, '')
    if (!flow && !/^\s/.test(line.rest)) return undefined
    return { path: flow ? [...path, 0] : path, at: 'value', typed, from: position - typed.length }
  }
  const typed = line.rest.replace(/^["']/, '')
  const path = parents(line.indent, line.dashes)
  return { path, at: 'key', typed, from: position - typed.length }
}

/** The keys and list entries around a line with this indentation and these dashes of its own. */
function pathAbove(lines: readonly string[], indent: number, dashes: readonly number[]): (string | number)[] {
  const path: (string | number)[] = dashes.map(() => 0)
  let limit = dashes[0] ?? indent
  // The entry of a list may stand at the indentation of its key.
  let listItem = dashes.length > 0
  for (let index = lines.length - 1; index >= 0 && (limit > 0 || listItem); index -= 1) {
    const line = readLine(lines[index] ?? '')
    if (!line) continue
    if (line.key !== undefined && (line.indent < limit || (listItem && line.indent === limit))) {
      if (line.rest.trim() !== '' && !line.rest.trim().startsWith('#')) {
        if (line.dashes.length === 0 || line.indent >= limit) continue
      } else path.unshift(line.key)
      limit = line.indent
      listItem = false
    }
    for (const dash of line.dashes.toReversed())
      if (dash < limit) {
        path.unshift(0)
        limit = dash
        listItem = true
      }
  }
  return path
}
