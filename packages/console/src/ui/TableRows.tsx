import { Suspense, type Ref } from 'react'
import { lazyPiece } from './lazy-piece.ts'
import { TableRow } from './TableRow.tsx'
import type { TableRowsProps } from './TableRow.tsx'

/** Above this many rows only those near the window are in the document. */
const virtualFrom = 200
/** Shown until what keeps the others out of the document is fetched. */
const firstRows = 50

const VirtualRows = lazyPiece(() => import('./VirtualRows.tsx').then((loaded) => loaded.VirtualRows))

/** The rows of a table: all of them, or of long lists those in sight. */
export function TableRows<Row>(props: TableRowsProps<Row>) {
  const { shown } = props.list
  const row = (index: number, ref?: Ref<HTMLTableRowElement>) => <TableRow key={shown[index]?.key} {...props} index={index} ref={ref} />
  const first = (count: number) => shown.slice(0, count).map((_, index) => row(index))
  if (shown.length <= virtualFrom) return first(shown.length)
  return (
    <Suspense fallback={first(firstRows)}>
      <VirtualRows count={shown.length} row={row} />
    </Suspense>
  )
}
