/** Numbers by size, texts as people order them: host-2 before host-10. */
function compare(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return collator.compare(String(a), String(b))
}

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

/** Rows by a value of theirs. Those with the same one keep the order in which they came, in both directions. */
export function inOrder<Row>(rows: readonly Row[], valueOf: (row: Row) => string | number, desc: boolean): Row[] {
  const direction = desc ? -1 : 1
  return rows
    .map((row) => ({ row, value: valueOf(row) }))
    .toSorted((a, b) => direction * compare(a.value, b.value))
    .map(({ row }) => row)
}

/** Those of which it holds before the others, in any order. */
export const withFirst = <Row>(rows: readonly Row[], isFirst: (row: Row) => boolean): Row[] => [
  ...rows.filter(isFirst),
  ...rows.filter((row) => !isFirst(row)),
]
