/** Searching rows that are all here. */

/** Those that have every word of `text` somewhere, in capitals or not; undefined where nothing is asked. */
export function wordsIn<Row>(text: string, textOf: (row: Row) => string): ((row: Row) => boolean) | undefined {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return undefined
  return (row) => {
    const searched = textOf(row).toLowerCase()
    return words.every((word) => searched.includes(word))
  }
}
