/** What is looked for in recordings: words that follow each other, the last one perhaps only begun. Case does not count. */
export interface TextQuery {
  readonly words: readonly string[]
  /** Where a line holds them first. */
  find(line: string): { from: number; to: number } | undefined
}

const word = /[\p{L}\p{N}\p{Co}]+/gu
export const wordsOf = (text: string): string[] => text.normalize('NFC').toLowerCase().match(word) ?? []

/** Undefined when the text has neither a letter nor a digit: nothing else is kept to look for. */
export function readTextQuery(text: string): TextQuery | undefined {
  const words = wordsOf(text)
  if (words.length === 0) return undefined
  const between = String.raw`[^\p{L}\p{N}\p{Co}]`
  const pattern = new RegExp(String.raw`(?<![\p{L}\p{N}\p{Co}])` + words.join(`${between}+`), 'iu')
  return {
    words,
    find(line) {
      const match = pattern.exec(line)
      return match ? { from: match.index, to: match.index + match[0].length } : undefined
    },
  }
}
