/** The page numbers worth a button: both ends and the neighbours of this one; undefined marks a gap. */
export function pageNumbers(page: number, pageCount: number): (number | undefined)[] {
  const wanted = [...new Set([0, page - 1, page, page + 1, pageCount - 1])]
    .filter((number) => number >= 0 && number < pageCount)
    .toSorted((a, b) => a - b)
  return wanted.flatMap((number, index) => {
    const before = wanted[index - 1]
    if (before === undefined || number === before + 1) return [number]
    return number === before + 2 ? [before + 1, number] : [undefined, number]
  })
}
