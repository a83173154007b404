/** The words of a search: split on spaces, a "quoted phrase" stays one. */
export function splitWords(text: string): string[] {
  return [...text.matchAll(/"([^"]*)"|\S+/g)].map((match) => match[1] ?? match[0]).filter((word) => word !== '')
}

/** The words as text again; those with spaces quoted. */
export function joinWords(words: readonly string[]): string {
  return words.map((word) => (/\s/.test(word) ? `"${word.replaceAll('"', '')}"` : word)).join(' ')
}
