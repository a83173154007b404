/**
 * Items in a fixed order by one of several fields, and pages of what of them matches, fast enough for a hundred thousand.
 *
 * Each item has a slot. Whether it matches is decided slot by slot, that is in the order in which items came and mostly
 * lie in memory; in the order of a field they lie all over it, and looking at each would cost ten times as much. The order
 * itself is a list of slots, and a page only looks at one byte of each.
 */
import { LRUCache } from 'lru-cache'
import type { Page } from '@sallyport/wire/entities/list.ts'
import { z } from 'zod'
import type { SortOrder } from './list-query.ts'

/** Where a page ended. Names a place in the order, not an item, so that it stays good when items come and go. */
const placeSchema = z.tuple([z.string(), z.string(), z.string()])

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Somebody who sees some of the items, always the same ones while they do not change. */
export interface View<T> {
  /** Whose it is: what was decided is remembered under this object. */
  readonly of: object
  accepts(item: T): boolean
}

export interface PageRequest<T, Field extends string> {
  sort: SortOrder<Field>
  limit: number
  startKey: string | undefined
  /** An item has to be in one of them. */
  views: readonly View<T>[]
  accepts: (item: T) => boolean
}

export interface SortedIndex<T, Field extends string> {
  /** An item must not change while it is among them, as far as its order or a view goes. */
  add(item: T): void
  remove(item: T): void
  page(request: PageRequest<T, Field>): Page<T>
}

interface Order {
  slots: Uint32Array
  /** Since `slots` was made. */
  readonly added: Set<number>
  readonly removed: Set<number>
}

/** Views that are remembered, at a byte for each item. */
const maxViews = 32
const verdicts = { unknown: 0, yes: 1, no: 2 } as const

/** `valueOf` gives the text to sort by; `idOf` is unique and decides among equals. */
export function createSortedIndex<T, Field extends string>(
  valueOf: (item: T, field: Field) => string,
  idOf: (item: T) => string,
): SortedIndex<T, Field> {
  const items: (T | undefined)[] = []
  const slotOf = new Map<T, number>()
  const free: number[] = []
  const orders = new Map<Field, Order>()
  const views = new LRUCache<object, Uint8Array>({ max: maxViews })
  const at = (slot: number | undefined): T => items[slot ?? -1] as T

  function sort(slots: readonly number[], field: Field): Uint32Array {
    const keyed = slots.map((slot) => ({ slot, value: valueOf(at(slot), field), id: idOf(at(slot)) }))
    return Uint32Array.from(
      keyed.toSorted((a, b) => compareText(a.value, b.value) || compareText(a.id, b.id)),
      ({ slot }) => slot,
    )
  }
  /** Few of `more` among many: what lies between two of them is copied as it is. */
  function merge(slots: Uint32Array, more: Uint32Array, field: Field): Uint32Array {
    const merged = new Uint32Array(slots.length + more.length)
    let from = 0
    more.forEach((slot, before) => {
      const value = valueOf(at(slot), field)
      const id = idOf(at(slot))
      const to = firstIndex(slots, (other) => (compareText(valueOf(at(other), field), value) || compareText(idOf(at(other)), id)) > 0)
      merged.set(slots.subarray(from, to), from + before)
      merged[to + before] = slot
      from = to
    })
    merged.set(slots.subarray(from), from + more.length)
    return merged
  }
  function ordered(field: Field): Uint32Array {
    let order = orders.get(field)
    if (!order) {
      order = { slots: sort([...slotOf.values()], field), added: new Set(), removed: new Set() }
      orders.set(field, order)
    }
    const { added, removed } = order
    if (added.size + removed.size > 0) {
      const kept = removed.size > 0 ? order.slots.filter((slot) => !removed.has(slot)) : order.slots
      order.slots = merge(kept, sort([...added], field), field)
      added.clear()
      removed.clear()
    }
    return order.slots
  }
  function rememberedOf({ of }: View<T>): Uint8Array {
    let known = views.get(of)
    if (!known || known.length < items.length) {
      const larger = new Uint8Array(Math.ceil(items.length * 1.25))
      if (known) larger.set(known)
      known = larger
      views.set(of, known)
    }
    return known
  }
  function isSeen(item: T, slot: number, seenBy: readonly { view: View<T>; known: Uint8Array }[]): boolean {
    for (const { view, known } of seenBy) {
      if (known[slot] === verdicts.unknown) known[slot] = view.accepts(item) ? verdicts.yes : verdicts.no
      if (known[slot] === verdicts.yes) return true
    }
    return false
  }
  return {
    add(item) {
      const slot = free.pop() ?? items.length
      items[slot] = item
      slotOf.set(item, slot)
      for (const known of views.values()) known[slot] = verdicts.unknown
      for (const { added } of orders.values()) added.add(slot)
    },
    remove(item) {
      const slot = slotOf.get(item)
      if (slot === undefined) return
      slotOf.delete(item)
      items[slot] = undefined
      free.push(slot)
      // A slot that is used again before anybody looked stands both in `removed` and in `added`.
      for (const { added, removed } of orders.values()) if (!added.delete(slot)) removed.add(slot)
    },
    page({ sort: { field, descending }, limit, startKey, views: wanted, accepts }) {
      const seenBy = wanted.map((view) => ({ view, known: rememberedOf(view) }))
      const matches = new Uint8Array(items.length)
      let totalCount = 0
      for (let slot = 0; slot < items.length; slot += 1) {
        const item = items[slot]
        if (item === undefined || !isSeen(item, slot, seenBy) || !accepts(item)) continue
        matches[slot] = 1
        totalCount += 1
      }
      const order = ordered(field)
      const place = decodePlace(startKey, field)
      const comparePlace = (item: T): number =>
        place ? compareText(valueOf(item, field), place.value) || compareText(idOf(item), place.id) : 0
      const edge = firstIndex(order, (slot) => (descending ? comparePlace(at(slot)) >= 0 : comparePlace(at(slot)) > 0))
      const step = descending ? -1 : 1
      const begin = place ? (descending ? edge - 1 : edge) : descending ? order.length - 1 : 0
      const found: T[] = []
      let isMore = false
      for (let index = begin; index >= 0 && index < order.length && !isMore; index += step) {
        if (matches[order[index] ?? -1] !== 1) continue
        if (found.length < limit) found.push(at(order[index]))
        else isMore = true
      }
      const last = found.at(-1)
      return { items: found, startKey: last && isMore ? encodePlace(field, valueOf(last, field), idOf(last)) : '', totalCount }
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

/** Index of the first slot that passes, all after it passing too; the length when none does. */
function firstIndex(slots: Uint32Array, passes: (slot: number) => boolean): number {
  let low = 0
  let high = slots.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (passes(slots[middle] ?? 0)) high = middle
    else low = middle + 1
  }
  return low
}
