/** Wildcards in paths: `*`, `?` and `[…]`, as a shell has them. */

interface Letter {
  readonly kind: 'letter'
  readonly accepts: (letter: string) => boolean
}
type Part = { readonly kind: 'any' } | Letter

export const hasWildcard = (path: string): boolean => /[*?[]/.test(path)

const literal = (expected: string): Letter => ({ kind: 'letter', accepts: (letter) => letter === expected })

/** The set that begins after `[` at `start`, and where it ends; undefined when it does not. */
function setAt(letters: readonly string[], start: number): { set: Letter; end: number } | undefined {
  const isNegated = letters[start] === '!' || letters[start] === '^'
  const first = isNegated ? start + 1 : start
  const end = letters.indexOf(']', first + 1)
  if (end === -1) return undefined
  const ranges: [string, string][] = []
  for (let at = first; at < end; at += 1) {
    const from = letters[at] ?? ''
    if (letters[at + 1] === '-' && at + 2 < end) {
      ranges.push([from, letters[at + 2] ?? ''])
      at += 2
    } else ranges.push([from, from])
  }
  const isListed = (letter: string): boolean => ranges.some(([from, to]) => from <= letter && letter <= to)
  return { set: { kind: 'letter', accepts: (letter) => isListed(letter) !== isNegated }, end }
}

function parsePattern(pattern: string): Part[] {
  const letters = [...pattern]
  const parts: Part[] = []
  for (let at = 0; at < letters.length; at += 1) {
    const letter = letters[at] ?? ''
    const set = letter === '[' ? setAt(letters, at + 1) : undefined
    if (set) {
      parts.push(set.set)
      at = set.end
    } else if (letter === '*') {
      if (parts.at(-1)?.kind !== 'any') parts.push({ kind: 'any' })
    } else if (letter === '?') parts.push({ kind: 'letter', accepts: () => true })
    else if (letter === '\\' && at + 1 < letters.length) parts.push(literal(letters[(at += 1)] ?? ''))
    else parts.push(literal(letter))
  }
  return parts
}

/**
 * Whether names match, each a last part of a path. Hidden files match only a pattern that begins with their dot, or where they are no different. The time is
 * at most the product of both lengths, whatever the pattern: a regular expression could be made to take for ever.
 */
export function compileGlob(pattern: string, { hidden = false } = {}): (name: string) => boolean {
  const parts = parsePattern(pattern)
  const wantsHidden = hidden || pattern.startsWith('.') || pattern.startsWith('\\.')
  return (name) => {
    if (name.startsWith('.') && !wantsHidden) return false
    const letters = [...name]
    let at = 0
    let part = 0
    let star = -1
    let starAt = 0
    while (at < letters.length) {
      const current = parts[part]
      if (current?.kind === 'letter' && current.accepts(letters[at] ?? '')) {
        at += 1
        part += 1
      } else if (current?.kind === 'any') {
        star = part
        starAt = at
        part += 1
      } else if (star !== -1) {
        part = star + 1
        starAt += 1
        at = starAt
      } else return false
    }
    return parts.slice(part).every(({ kind }) => kind === 'any')
  }
}
