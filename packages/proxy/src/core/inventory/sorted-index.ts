/** Items in a fixed order by one of several fields, and pages of what of them matches. */
import { z } from 'zod'
import type { Page } from '@sallyport/wire/entities/list.ts'
import type { SortOrder } from './list-query.ts'

/** Where a page ended. Names a place in the order, not an item, so that it stays good when items come and go. */
const placeSchema = z.tuple([z.string(), z.string(), z.string()])

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

export interface SortedIndex<T, Field extends string> {
  /** To be called for each change of the items; an item does not change while it is among them. */
  add(item: T): void
  remove(item: T): void
  page(request: { sort: SortOrder<Field>; limit: number; startKey: string | undefined; accepts: (item: T) => boolean }): Page<T>
}

interface Order<T> {
  items: readonly T[]
  /** Since `items` was made. */
  readonly added: Set<T>
  readonly removed: Set<T>
}

/** `valueOf` gives the text to sort by; `idOf` is unique and decides among equals. */
export function createSortedIndex<T, Field extends string>(
  items: () => Iterable<T>,
  valueOf: (item: T, field: Field) => string,
  idOf: (item: T) => string,
): SortedIndex<T, Field> {
  const orders = new Map<Field, Order<T>>()
  const sort = (unsorted: readonly T[], field: Field): readonly T[] =>
    unsorted.toSorted((a, b) => compareText(valueOf(a, field), valueOf(b, field)) || compareText(idOf(a), idOf(b)))
  const ordered = (field: Field): readonly T[] => {
    let order = orders.get(field)
    if (!order) {
      order = { items: sort([...items()], field), added: new Set(), removed: new Set() }
      orders.set(field, order)
    }
    const { added, removed } = order
    if (added.size + removed.size > 0) {
      // Sorting what is in order but for a few at its end takes little more than a walk over it.
      order.items = sort([...order.items.filter((item) => !removed.has(item)), ...added], field)
      added.clear()
      removed.clear()
    }
    return order.items
  }
  return {
    add(item) {
      for (const { added } of orders.values()) added.add(item)
    },
    remove(item) {
      for (const { added, removed } of orders.values()) if (!added.delete(item)) removed.add(item)
    },
    page({ sort: { field, descending }, limit, startKey, accepts }) {
      const ascending = ordered(field).filter(accepts)
      const matching = descending ? ascending.toReversed() : ascending
      const place = decodePlace(startKey, field)
      const comparePlace = (item: T): number => {
        const difference = place ? compareText(valueOf(item, field), place.value) || compareText(idOf(item), place.id) : 1
        return descending && place ? -difference : difference
      }
      const start = firstIndex(matching, (item) => comparePlace(item) > 0)
      const found = matching.slice(start, start + limit)
      const last = found.at(-1)
      const startKeyAfter = last && start + limit < matching.length ? encodePlace(field, valueOf(last, field), idOf(last)) : ''
      return { items: found, startKey: startKeyAfter, totalCount: matching.length }
    },
  }
}

const encodePlace = (field: string, value: string, id: string): string =>
  Buffer.from(JSON.stringify([field, value, id])).toString('base64url')

/** Undefined, the beginning, for no key, one that cannot be read, or one of another order. */
function decodePlace(key: string | undefined, field: string): { value: string; id: string } | undefined {
  if (!key) return undefined
  try {
    const [sortedBy, value, id] = placeSchema.parse(JSON.parse(Buffer.from(key, 'base64url').toString('utf8')))
    return sortedBy === field ? { value, id } : undefined
  } catch {
    return undefined
  }
}

/** Index of the first item that passes, all after it passing too; the length when none does. */
function firstIndex<T>(items: readonly T[], passes: (item: T) => boolean): number {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const item = items[middle]
    if (item !== undefined && passes(item)) high = middle
    else low = middle + 1
  }
  return low
}
