/** The statements of a text, as MySQL and MariaDB tell them apart. */
import type { Statement } from './split-statements.ts'

/** Of the programs of both, at the beginning of a line: what ends statements from here on. */
const delimiterLine = /[ \t]*delimiter[ \t]+(\S+)[^\n]*(?:\n|$)/iy

/**
 * Semicolons end statements, except in quotes and comments. The bodies of procedures have semicolons of their own: around
 * them DELIMITER says what else does. What is left open ends with the text.
 */
export function splitMysql(text: string): Statement[] {
  const statements: Statement[] = []
  let delimiter = ';'
  let start = 0
  let isEmpty = true
  let at = 0
  const finish = (end: number, next: number): void => {
    if (!isEmpty) {
      const own = text.slice(start, end)
      statements.push({ text: own.trim(), start: start + own.length - own.trimStart().length })
    }
    start = next
    at = next
    isEmpty = true
  }
  while (at < text.length) {
    if (isEmpty && (at === 0 || text.charAt(at - 1) === '\n')) {
      delimiterLine.lastIndex = at
      const [line, chosen] = delimiterLine.exec(text) ?? []
      if (line !== undefined && chosen !== undefined) {
        delimiter = chosen
        finish(at, at + line.length)
        continue
      }
    }
    if (text.startsWith(delimiter, at)) {
      finish(at, at + delimiter.length)
      continue
    }
    const comment = behindComment(text, at)
    if (comment > at) {
      // What stands in such a comment runs.
      if (/^\/\*M?!/.test(text.slice(at, at + 4))) isEmpty = false
      at = comment
      continue
    }
    if (/[^\s;]/.test(text.charAt(at))) isEmpty = false
    at = behindQuoted(text, at)
  }
  finish(text.length, text.length)
  return statements
}

/** Behind the comment that begins here, else `at`. Two dashes begin one only before white space, and blocks do not nest. */
function behindComment(text: string, at: number): number {
  const isLine = text.charAt(at) === '#' || (text.startsWith('--', at) && /^\s?$/.test(text.charAt(at + 2)))
  if (isLine) {
    const end = text.indexOf('\n', at)
    return end === -1 ? text.length : end + 1
  }
  if (!text.startsWith('/*', at)) return at
  const end = text.indexOf('*/', at + 2)
  return end === -1 ? text.length : end + 2
}

/** Behind the quoted piece, or the one character, that begins here. A doubled quote needs no care. */
function behindQuoted(text: string, at: number): number {
  const quote = text.charAt(at)
  if (quote !== "'" && quote !== '"' && quote !== '`') return at + 1
  for (let place = at + 1; place < text.length; place += 1) {
    if (quote !== '`' && text.charAt(place) === '\\') place += 1
    else if (text.charAt(place) === quote) return place + 1
  }
  return text.length
}
