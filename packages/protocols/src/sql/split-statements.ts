/** The statements of a text, as PostgreSQL tells them apart. */
export interface Statement {
  /** Without the semicolon, and without white space around it. */
  text: string
  /** Where it begins, in UTF-16 units. */
  start: number
}

const dollarQuote = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y
const word = /[\w$\u0080-\uffff]/

/**
 * Semicolons end statements, except in quotes, comments and the bodies of functions written with BEGIN ATOMIC. What is left
 * open ends with the text.
 */
export function splitStatements(text: string): Statement[] {
  const statements: Statement[] = []
  let start = 0
  let at = 0
  let isEmpty = true
  let depth = 0
  const finish = (end: number): void => {
    if (!isEmpty) {
      const own = text.slice(start, end)
      const lead = own.length - own.trimStart().length
      statements.push({ text: own.trim(), start: start + lead })
    }
    start = end + 1
    isEmpty = true
    depth = 0
  }
  while (at < text.length) {
    const skipped = skipComment(text, at)
    if (skipped > at) {
      at = skipped
      continue
    }
    const character = text.charAt(at)
    if (character === ';' && depth === 0) {
      finish(at)
      at += 1
      continue
    }
    if (/\s|;/.test(character)) {
      at += 1
      continue
    }
    isEmpty = false
    const quoted = skipQuoted(text, at)
    if (quoted > at) at = quoted
    else if (word.test(character)) {
      const end = endOfWord(text, at)
      depth = depthAfter(text.slice(at, end).toLowerCase(), depth, text, end)
      at = end
    } else at += 1
  }
  finish(text.length)
  return statements
}

/** Inside BEGIN ATOMIC … END, where CASE … END may stand as well. */
function depthAfter(keyword: string, depth: number, text: string, end: number): number {
  if (keyword === 'begin' && /^\s+atomic\b/i.test(text.slice(end, end + 64))) return depth + 1
  if (depth === 0) return 0
  if (keyword === 'case') return depth + 1
  return keyword === 'end' ? depth - 1 : depth
}

/** Behind the comment that begins here, else `at`. Block comments nest. */
function skipComment(text: string, at: number): number {
  if (text.startsWith('--', at)) {
    const end = text.indexOf('\n', at)
    return end === -1 ? text.length : end + 1
  }
  if (!text.startsWith('/*', at)) return at
  let depth = 0
  for (let place = at; place < text.length;) {
    if (text.startsWith('/*', place)) {
      depth += 1
      place += 2
    } else if (text.startsWith('*/', place)) {
      depth -= 1
      place += 2
      if (depth === 0) return place
    } else place += 1
  }
  return text.length
}

/** Behind the quoted piece that begins here, else `at`. */
function skipQuoted(text: string, at: number): number {
  const character = text.charAt(at)
  if (character === "'") return skipString(text, at, false)
  if (character === '"') return skipString(text, at, false)
  if (/[eE]/.test(character) && text.charAt(at + 1) === "'") return skipString(text, at + 1, true)
  if (character !== '$') return at
  dollarQuote.lastIndex = at
  const [tag] = dollarQuote.exec(text) ?? []
  if (tag === undefined) return at
  const end = text.indexOf(tag, at + tag.length)
  return end === -1 ? text.length : end + tag.length
}

/** A doubled quote is one inside, and needs no care: the next piece begins where this one ends. */
function skipString(text: string, at: number, hasEscapes: boolean): number {
  const quote = text.charAt(at)
  for (let place = at + 1; place < text.length; place += 1) {
    if (hasEscapes && text.charAt(place) === '\\') place += 1
    else if (text.charAt(place) === quote) return place + 1
  }
  return text.length
}

function endOfWord(text: string, at: number): number {
  let end = at + 1
  while (end < text.length && word.test(text.charAt(end))) end += 1
  return end
}
