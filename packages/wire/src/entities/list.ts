/** The list grammar that every server list shares. */
import * as z from 'zod/mini'
import { listOf } from '../call.ts'
import { listDefaultLimit } from '../limits.ts'

const listQueryLimit = 12 * 1024

/**
 * Query fields of a list. `sort` is `field:asc` or `field:desc`.
 * `limit`: missing, empty or the text `undefined` means 1000; 0 or above 1000 is 1000; else a positive integer.
 */
export const listQueryWire = z.object({
  /** `yes`: also what the roles show that one may search as; anything else is no. */
  searchAsRoles: z.optional(z.string()),
  limit: z.pipe(
    z.optional(z.union([z.string(), z.number()])),
    z.transform((value, context) => {
      if (value === undefined || value === '' || value === 'undefined') return listDefaultLimit
      const limit = /^[+-]?\d{1,10}$/.test(String(value)) ? Number(value) : NaN
      if (limit >= 0) return limit === 0 || limit > listDefaultLimit ? listDefaultLimit : limit
      const message = limit < 0 ? 'nonpositive parameter limit' : `failed to parse limit as limit: ${value}`
      context.issues.push({ code: 'custom', message, input: value })
      return z.NEVER
    }),
  ),
  startKey: z.optional(z.string().check(z.maxLength(4096))),
  /** Long enough to name a page of databases one by one. */
  query: z.optional(z.string().check(z.maxLength(listQueryLimit))),
  search: z.optional(z.string().check(z.maxLength(4096))),
  sort: z.optional(z.string().check(z.maxLength(128))),
})

export const pageOf = <T extends z.ZodMiniType>(item: T) =>
  z.object({ items: listOf(item), startKey: z._default(z.string(), ''), totalCount: z._default(z.number(), 0) })

export interface Page<T> {
  items: T[]
  startKey: string
  totalCount: number
}
