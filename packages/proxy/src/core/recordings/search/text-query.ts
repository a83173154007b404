/** Whether the last word stands there as it was typed, or goes on. */
export type LastWord = 'whole' | 'begun'

/** What is looked for in recordings: words that follow each other. Case does not count. */
export interface TextQuery {
  readonly words: readonly string[]
  /** Where a line holds them first; a line that has the very words is not one in which the last one goes on. */
  find(line: string, lastWord: LastWord): { from: number; to: number } | undefined
}

const word = /[\p{L}\p{N}\p{Co}]+/gu
export const wordsOf = (text: string): string[] => text.normalize('NFC').toLowerCase().match(word) ?? []

/** Undefined when the text has neither a letter nor a digit: nothing else is kept to look for. */
export function readTextQuery(text: string): TextQuery | undefined {
  const words = wordsOf(text)
  return words.length === 0 ? undefined : textQueryOf(words)
}

/** Words of so few letters begin too many others; one letter of another script may be a word. */
export const isShortBeginning = (words: readonly string[]): boolean => /^[\da-z]{1,2}$/.test(words.at(-1) ?? '')

export function textQueryOf(words: readonly string[]): TextQuery {
  const letter = String.raw`[\p{L}\p{N}\p{Co}]`
  const start = `(?<!${letter})${words.join(String.raw`[^\p{L}\p{N}\p{Co}]+`)}`
  const patterns = { whole: new RegExp(`${start}(?!${letter})`, 'iu'), begun: new RegExp(`${start}(?=${letter})`, 'iu') }
  return {
    words,
    find(line, lastWord) {
      const match = patterns[lastWord].exec(line)
      if (lastWord === 'begun' && patterns.whole.test(line)) return undefined
      return match ? { from: match.index, to: match.index + match[0].length } : undefined
    },
  }
}
