import {
  createPaginatedRowModel,
  createSortedRowModel,
  rowPaginationFeature,
  rowSortingFeature,
  tableFeatures,
  useTable,
  type ColumnDef,
} from '@tanstack/react-table'
import { useMemo, type ReactNode } from 'react'

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

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  rowPaginationFeature,
  paginatedRowModel: createPaginatedRowModel(),
})

export type ListOptions<Row> = {
  columns: readonly Column<Row>[]
  /** Undefined until the first answer. */
  rows: readonly Row[] | undefined
  rowKey: (row: Row) => string
  sort: Sort | undefined
  /** For lists that are sorted here; leave out when the server pages. Index counts from 0. */
  page?: { index: number; size: number }
}

export type ListTable<Row> = {
  columns: readonly Column<Row>[]
  loaded: boolean
  sort: Sort | undefined
  /** What to show now: sorted, then cut to the page. */
  shown: readonly { key: string; row: Row }[]
  /** All rows in the order in force. */
  sorted: readonly Row[]
  pageCount: number
}

const none: readonly never[] = []

/** The rows of a list in order. Columns must be constant (module scope), rows stable between renders. */
export function useListTable<Row extends object>({ columns, rows, rowKey, sort, page }: ListOptions<Row>): ListTable<Row> {
  const definitions = useMemo(() => columns.map((column) => toDefinition(column)), [columns])
  const sortsHere = columns.some((column) => column.id === sort?.id && typeof column.sort === 'function')
  const table = useTable<typeof features, Row>({
    features,
    columns: definitions,
    data: rows ?? none,
    getRowId: rowKey,
    manualSorting: !sortsHere,
    manualPagination: page === undefined,
    autoResetPageIndex: false,
    state: {
      sorting: sort ? [sort] : [],
      pagination: { pageIndex: page?.index ?? 0, pageSize: page?.size ?? Math.max(1, rows?.length ?? 1) },
    },
  })
  return {
    columns,
    loaded: rows !== undefined,
    sort,
    shown: table.getRowModel().rows.map((row) => ({ key: row.id, row: row.original })),
    sorted: table.getPrePaginatedRowModel().rows.map((row) => row.original),
    pageCount: page ? Math.max(1, Math.ceil((rows?.length ?? 0) / page.size)) : 1,
  }
}

function toDefinition<Row extends object>(column: Column<Row>): ColumnDef<typeof features, Row, unknown> {
  const { sort } = column
  return {
    id: column.id,
    header: column.header,
    accessorFn: typeof sort === 'function' ? sort : () => 0,
    enableSorting: sort !== undefined,
    sortFn: (a, b, id) => compare(a.getValue(id), b.getValue(id)),
  }
}

/** Numbers by size, texts as people order them: host-2 before host-10. */
export function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return collator.compare(String(a), String(b))
}

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
