import * as z from 'zod/mini'
import { listPageSize } from '@sallyport/wire/limits.ts'
import type { Sort } from '../../ui/use-list-table.ts'

export const pageSizes = [15, 30, 50, 100] as const

/** What the address of the list holds; the position in the list is not part of it. */
export const serverSearch = z.object({
  search: z.optional(z.string()),
  query: z.optional(z.string()),
  sort: z.optional(z.string().check(z.regex(/^(hostname|addr):(asc|desc)$/))),
  pageSize: z.optional(z.string().check(z.regex(/^(15|30|50|100)$/))),
})

export const defaultSort: Sort = { id: 'hostname', desc: false }

export function parseSort(text: string | undefined): Sort {
  const [id, direction] = text?.split(':') ?? []
  return id ? { id, desc: direction === 'desc' } : defaultSort
}

/** `field:dir`; undefined for the default, which the address does not name. */
export function sortField(sort: Sort): string | undefined {
  return sort.id === defaultSort.id && sort.desc === defaultSort.desc ? undefined : formatSort(sort)
}

export const formatSort = (sort: Sort): string => `${sort.id}:${sort.desc ? 'desc' : 'asc'}`

export const parsePageSize = (text: string | undefined): number => Number(text ?? listPageSize)
