import { useMemo, type ReactNode } from 'react'
import { inOrder, withFirst } from './row-order.ts'

export type Sort = { id: string; desc: boolean }

export type Column<Row> = {
  id: string
  header: string
  cell: (row: Row) => ReactNode
  /** Sortable: by the server, or here by this value. */
  sort?: 'server' | ((row: Row) => string | number)
  /** Any CSS width; columns without one share what is left. */
  width?: string
  /** Actions stand right, always at the same x; their header, and that of `select`, is read, not shown. */
  kind?: 'text' | 'machine' | 'actions' | 'select'
  /** What becomes of the cell in the cards of narrow windows. */
  phone?: 'title' | 'line' | 'hide' | 'corner'
  /** In a card its header stands before it, because the value alone does not say what it is. */
  told?: boolean
  /** Width of the placeholder while loading. */
  skeleton?: string
}

export type ListOptions<Row> = {
  columns: readonly Column<Row>[]
  /** Undefined until the first answer. */
  rows: readonly Row[] | undefined
  rowKey: (row: Row) => string
  sort: Sort | undefined
  /** For lists that are sorted here; leave out when the server pages. Index counts from 0. */
  page?: { index: number; size: number }
  /** The rows that are wanted; the same function until others are. */
  keep?: ((row: Row) => boolean) | undefined
  /** Rows that stand before the others in any order. */
  isFirst?: ((row: Row) => boolean) | undefined
}

export type ListTable<Row> = {
  columns: readonly Column<Row>[]
  loaded: boolean
  sort: Sort | undefined
  /** What to show now: sorted, then cut to the page. */
  shown: readonly { key: string; row: Row }[]
  /** All rows that are wanted, in the order in force. */
  sorted: readonly Row[]
  /** Counts from 0; the last page where a later one is asked for. */
  page: number
  pageSize: number
  pageCount: number
}

const none: readonly never[] = []

/** The rows of a list in order. Columns must be constant (module scope), rows stable between renders. */
export function useListTable<Row>(options: ListOptions<Row>): ListTable<Row> {
  const { columns, rows, rowKey, sort, page, keep, isFirst } = options
  const by = columns.find(({ id }) => id === sort?.id)?.sort
  const desc = sort?.desc ?? false
  // Sorting many rows takes longer than looking through them: what is typed only leaves some out.
  const all = useMemo(() => {
    const ordered = rows && typeof by === 'function' ? inOrder(rows, by, desc) : rows
    return ordered && isFirst ? withFirst(ordered, isFirst) : ordered
  }, [rows, by, desc, isFirst])
  const sorted = useMemo(() => (all && keep ? all.filter(keep) : (all ?? none)), [all, keep])
  const pageSize = page?.size ?? Math.max(1, sorted.length)
  const pageCount = Math.max(1, Math.ceil(sorted.length / pageSize))
  const index = Math.min(page?.index ?? 0, pageCount - 1)
  const shown = useMemo(
    () => sorted.slice(index * pageSize, (index + 1) * pageSize).map((row) => ({ key: rowKey(row), row })),
    [sorted, index, pageSize, rowKey],
  )
  return { columns, loaded: rows !== undefined, sort, shown, sorted, page: index, pageSize, pageCount }
}
