/** What the address of a list that the proxy pages holds; the position in the list is not part of it. */
import * as z from 'zod/mini'
import { listPageSize } from '@sallyport/wire/limits.ts'
import type { Sort } from '../../ui/use-list-table.ts'

export const pageSizes = [15, 30, 50, 100] as const

/** `fields` that it can be sorted by, the first one by default. */
export interface ListOrder {
  readonly fields: readonly [string, ...string[]]
  readonly descending?: boolean
}

/** `field:asc` or `field:desc`. */
export const sortText = ({ fields }: ListOrder) =>
  z.optional(z.string().check(z.refine((text) => fields.some((field) => text === `${field}:asc` || text === `${field}:desc`))))

export const listAddress = (order: ListOrder) =>
  z.object({
    search: z.optional(z.string()),
    query: z.optional(z.string()),
    sort: sortText(order),
    pageSize: z.optional(z.string().check(z.regex(/^(15|30|50|100)$/))),
    requestable: z.optional(z.literal('yes')),
  })

export const formatSort = (sort: Sort): string => `${sort.id}:${sort.desc ? 'desc' : 'asc'}`

export function parseSort(text: string | undefined, { fields: [first], descending = false }: ListOrder): Sort {
  const [id, direction] = text?.split(':') ?? []
  return id ? { id, desc: direction === 'desc' } : { id: first, desc: descending }
}

/** `field:dir`; undefined for the default, which the address does not name. */
export function sortField(sort: Sort, order: ListOrder): string | undefined {
  const text = formatSort(sort)
  return text === formatSort(parseSort(undefined, order)) ? undefined : text
}

export const parsePageSize = (text: string | undefined): number => Number(text ?? listPageSize)
