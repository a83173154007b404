/** Slots in a fixed order by one of several fields of what lies in them, and pages of some of them. */
import type { Page } from '@sallyport/wire/entities/list.ts'
import { z } from 'zod'
import type { SortOrder } from './list-query.ts'
import { addSlot, countSlots, hasSlot, listSlots, noSlots, withRoom } from './slot-set.ts'
import type { SlotSet } from './slot-set.ts'

/** Where a page ended. Names a place in the order, not an item, so that it stays good when items come and go. */
const placeSchema = z.tuple([z.string(), z.string(), z.string()])

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

export interface PageRequest<Field extends string> {
  sort: SortOrder<Field>
  limit: number
  startKey: string | undefined
  /** Of the slots that are there. */
  matches: SlotSet
}

export interface SortedSlots<Field extends string> {
  /** What lies in a slot must not change while it is among them, as far as its order goes. */
  add(slot: number): void
  remove(slot: number): void
  page(request: PageRequest<Field>): Page<number>
}

interface Order {
  slots: Uint32Array
  /** Since `slots` was made. */
  readonly added: Set<number>
  readonly removed: Set<number>
}

export interface SortedDeps<Field extends string> {
  /** The slots in which something lies. */
  present: () => SlotSet
  /** The text to sort by. */
  valueOf: (slot: number, field: Field) => string
  /** Is unique and decides among equals. */
  idOf: (slot: number) => string
}

export function createSortedSlots<Field extends string>({ present, valueOf, idOf }: SortedDeps<Field>): SortedSlots<Field> {
  const orders = new Map<Field, Order>()

  function sort(slots: Iterable<number>, field: Field): Uint32Array {
    const keyed = Array.from(slots, (slot) => ({ slot, value: valueOf(slot, field), id: idOf(slot) }))
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
      const value = valueOf(slot, field)
      const id = idOf(slot)
      const to = firstIndex(slots, (other) => (compareText(valueOf(other, field), value) || compareText(idOf(other), id)) > 0)
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
      order = { slots: sort(listSlots(present()), field), added: new Set(), removed: new Set() }
      orders.set(field, order)
    }
    const { added, removed } = order
    if (added.size + removed.size > 0) {
      order.slots = merge(without(order.slots, removed), sort(added, field), field)
      added.clear()
      removed.clear()
    }
    return order.slots
  }
  return {
    add(slot) {
      for (const { added } of orders.values()) added.add(slot)
    },
    remove(slot) {
      // A slot that is used again before anybody looked stands both in `removed` and in `added`.
      for (const { added, removed } of orders.values()) if (!added.delete(slot)) removed.add(slot)
    },
    page({ sort: { field, descending }, limit, startKey, matches }) {
      const order = ordered(field)
      const totalCount = countSlots(matches)
      const place = decodePlace(startKey, field)
      const comparePlace = (slot: number): number =>
        place ? compareText(valueOf(slot, field), place.value) || compareText(idOf(slot), place.id) : 0
      const edge = firstIndex(order, (slot) => (descending ? comparePlace(slot) >= 0 : comparePlace(slot) > 0))
      const step = descending ? -1 : 1
      const begin = place ? (descending ? edge - 1 : edge) : descending ? order.length - 1 : 0
      const items: number[] = []
      let isMore = false
      for (let index = begin; index >= 0 && index < order.length && items.length < totalCount; index += step) {
        const slot = order[index] ?? 0
        if (!hasSlot(matches, slot)) continue
        if (items.length === limit) {
          isMore = true
          break
        }
        items.push(slot)
      }
      const last = items.at(-1)
      return {
        items,
        startKey: last !== undefined && isMore ? encodePlace(field, valueOf(last, field), idOf(last)) : '',
        totalCount,
      }
    },
  }
}

function without(slots: Uint32Array, removed: ReadonlySet<number>): Uint32Array {
  if (removed.size === 0) return slots
  let gone = noSlots(0)
  for (const slot of removed) addSlot((gone = withRoom(gone, slot + 1)), slot)
  // Four times as fast as to filter.
  const kept = new Uint32Array(slots.length)
  let length = 0
  for (let index = 0; index < slots.length; index += 1) {
    const slot = slots[index] ?? 0
    if (!hasSlot(gone, slot)) kept[length++] = slot
  }
  return kept.subarray(0, length)
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
