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

const figure = (count: number): string => count.toLocaleString('en')

/** Which of all rows a page shows. `page` counts from 0. */
export const pageText = (page: number, size: number, count: number): string =>
  `Showing ${figure(page * size + 1)}–${figure(Math.min(count, (page + 1) * size))} of ${figure(count)}`
