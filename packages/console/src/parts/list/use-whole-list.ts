/** Lists that the proxy answers as a whole: they are searched, sorted and cut to pages here. */
import { useMemo } from 'react'
import * as z from 'zod/mini'
import { useListTable } from '../../ui/use-list-table.ts'
import type { Column, ListTable, Sort } from '../../ui/use-list-table.ts'
import { parseSort, sortField, sortText } from './list-address.ts'
import type { ListOrder } from './list-address.ts'
import { useDraft } from './use-draft.ts'
import type { Draft } from './use-draft.ts'
import { wordsIn } from './words-in.ts'

/** What the address of such a list holds; a screen adds what else it asks for. */
export const wholeListShape = (order: ListOrder) => ({
  q: z.optional(z.string()),
  sort: sortText(order),
  page: z.optional(z.string().check(z.regex(/^[1-9]\d{0,4}$/))),
})

/** A list as its screen shows it; the same object at all times. */
export interface WholeListKind<Row> {
  readonly order: ListOrder
  /** Rows on a page. */
  readonly size?: number
  keyOf(row: Row): string
  /** Where the words of a search are looked for; leave out where the screen does that itself. */
  textOf?(row: Row): string
  /** Rows that stand before the others in any order. */
  isFirst?(row: Row): boolean
}

export interface WholeListOptions<Row> {
  columns: readonly Column<Row>[]
  /** What there is, less what other filters of the screen leave out; undefined until it is here. */
  rows: readonly Row[] | undefined
  address: { q?: string | undefined; sort?: string | undefined; page?: string | undefined }
  setAddress: (fields: WholeListOptions<Row>['address'], options?: { replace?: boolean }) => void
}

export interface WholeList<Row> {
  /** The words that are looked for, and what is typed of the next ones. */
  q: string
  draft: Draft
  table: ListTable<Row>
  onSort: (sort: Sort) => void
  onPage: (page: number) => void
}

/** How long after the last key the list follows what was typed (ms). */
const typingEnds = 200

/** Words, order and page stand in the address, so that Back undoes them and a link shows the same. */
export function useWholeList<Row>(
  { order, size = 20, keyOf, textOf, isFirst }: WholeListKind<Row>,
  { columns, rows, address, setAddress }: WholeListOptions<Row>,
): WholeList<Row> {
  const q = address.q ?? ''
  const draft = useDraft(q, (text, options) => setAddress({ q: text || undefined, page: undefined }, options), typingEnds)
  const keep = useMemo(() => textOf && wordsIn(q, textOf), [q, textOf])
  const table = useListTable({
    columns,
    rows,
    rowKey: keyOf,
    sort: parseSort(address.sort, order),
    page: { index: Number(address.page ?? 1) - 1, size },
    keep,
    isFirst,
  })
  return {
    q,
    draft,
    table,
    onSort: (sort) => setAddress({ sort: sortField(sort, order), page: undefined }),
    onPage: (page) => setAddress({ page: page === 0 ? undefined : String(page + 1) }),
  }
}
