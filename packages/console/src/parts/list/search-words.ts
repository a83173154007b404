/** The words of a search: split on spaces, a "quoted phrase" stays one. */
export function splitWords(text: string): string[] {
  return [...text.matchAll(/"([^"]*)"|\S+/g)].map((match) => match[1] ?? match[0]).filter((word) => word !== '')
}

/** The words as text again; those with spaces quoted. */
export function joinWords(words: readonly string[]): string {
  return words.map((word) => (/\s/.test(word) ? `"${word.replaceAll('"', '')}"` : word)).join(' ')
}

/** Whether every one of `some` is among the words. */
export function hasWords(words: readonly string[], some: readonly string[]): boolean {
  return some.every((word) => words.includes(word))
}

/** Adds the words that are missing; takes them out when all are there already. */
export function toggleWords(words: readonly string[], some: readonly string[]): string[] {
  if (hasWords(words, some)) return words.filter((word) => !some.includes(word))
  return [...words, ...some.filter((word) => !words.includes(word))]
}
