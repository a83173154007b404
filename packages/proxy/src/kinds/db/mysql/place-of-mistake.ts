/** The place of a mistake in a statement, of which these servers tell the text from there on, cut off, and the line. */

const nearText = /near '(.*)' at line (\d+)$/s

/** Counted in characters from 1; 0 for none. */
export function placeOfMistake(message: string, statement: string): number {
  const [, near, line] = nearText.exec(message) ?? []
  if (near === undefined) return placeOfName(message, statement)
  if (near === '') return [...statement].length
  let from = 0
  for (let skipped = 1; skipped < Number(line); skipped += 1) from = statement.indexOf('\n', from) + 1
  // Where the same text stands more than once in the line, what is told goes on to the end of the statement.
  const isWhole = near.length < 80
  const at = isWhole && statement.endsWith(near) ? statement.length - near.length : statement.indexOf(near, from)
  return at === -1 ? 0 : countOf(statement, at)
}

/** Of a name that is unknown, where it stands first. */
function placeOfName(message: string, statement: string): number {
  const [, name] = /^(?:Unknown column|Table|FUNCTION|Unknown table) '?([^' ]+)'?/.exec(message) ?? []
  const last = name?.split('.').at(-1)
  if (!last) return 0
  const isPart = (place: number): boolean => /[\w$]/.test(statement.charAt(place))
  for (let at = statement.indexOf(last); at !== -1; at = statement.indexOf(last, at + 1))
    if (!isPart(at - 1) && !isPart(at + last.length)) return countOf(statement, at)
  return 0
}

const countOf = (statement: string, at: number): number => [...statement.slice(0, at)].length + 1
