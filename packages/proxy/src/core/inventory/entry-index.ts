/**
 * Entries of one kind and what lists ask of them, fast enough for a hundred thousand.
 *
 * Each entry has a slot, a small number. Whatever is asked is answered by a set of slots, a bit for each: who sees them,
 * where a word stands, what a query says. A list is what all these sets have in common.
 */
import type { Page } from '@sallyport/wire/entities/list.ts'
import type { Labels } from '../access/match.ts'
import { Entry } from './entry.ts'
import type { EntryFacts, Registered, ShownKind } from './entry.ts'
import { createLabelSets } from './label-sets.ts'
import { compileListQuery } from './list-predicate.ts'
import type { QueriedSlots } from './list-predicate.ts'
import { parseSort, searchWords } from './list-query.ts'
import type { ListRequest } from './list-query.ts'
import { addAll, addSlot, countSlots, dropSlot, filterSlots, hasSlot, inBoth, noSlots, withRoom } from './slot-set.ts'
import type { SlotSet } from './slot-set.ts'
import { createSlotVerdicts } from './slot-verdicts.ts'
import { createSortedSlots } from './sorted-slots.ts'
import { canSearchColumns, createTextColumn } from './text-column.ts'
import type { TextColumn } from './text-column.ts'

/** Somebody whose roles show some items: the same answer for the same labels and id at all times. What it was is remembered under this object. */
export interface Viewer {
  canSee(labels: Labels, id: string): boolean
}

export interface EntryIndex<T extends Registered, Field extends string> {
  /** `replaced`: the entry of the same item as it was before. */
  add(item: T, facts: EntryFacts, replaced?: Entry<T, Field>): Entry<T, Field>
  remove(entry: Entry<T, Field>): void
  /** It expires then, and not when it did before. */
  renew(entry: Entry<T, Field>, expires: number): void
  /** How many have not expired. */
  count(now: number): number
  /** A sort field that the kind does not have is refused with 501, a query that cannot be read with 400. */
  list(request: ListRequest, viewers: readonly Viewer[], now: number): Page<T>
}

/** Whose verdicts are remembered, at two bits for each entry. */
const most = { viewers: 256, conditions: 64, words: 64 }

export function createEntryIndex<T extends Registered, Field extends string>(kind: ShownKind<T, Field>): EntryIndex<T, Field> {
  const entries: (Entry<T, Field> | undefined)[] = []
  const free: number[] = []
  let used = noSlots(0)
  /** Epoch milliseconds, by slot. */
  let expiries = new Float64Array(0)
  /** The slot of its labels, by slot. */
  let labelSlots = new Uint32Array(0)
  /** No entry expires before. */
  let soonest = Infinity
  const fields = [...new Set(Object.values(kind.sortFields))]
  const at = (slot: number): Entry<T, Field> => entries[slot] as Entry<T, Field>
  const labelSets = createLabelSets()
  /** One for each of the texts that a kind has. */
  const texts: TextColumn[] = []
  const sorted = createSortedSlots<Field>({
    present: () => used,
    valueOf: (slot, field) => at(slot).sortValue(field),
    idOf: (slot) => at(slot).item.id,
  })
  const views = createSlotVerdicts<Viewer>(most.viewers)
  const conditions = createSlotVerdicts<string>(most.conditions)
  const words = createSlotVerdicts<string>(most.words)

  function makeRoom(size: number): void {
    used = withRoom(used, size)
    const room = used.length * 32
    if (expiries.length === room) return
    const [fewerExpiries, fewerSlots] = [expiries, labelSlots]
    expiries = new Float64Array(room)
    expiries.set(fewerExpiries)
    labelSlots = new Uint32Array(room)
    labelSlots.set(fewerSlots)
  }
  function placeTexts(slot: number, item: T, before: T | undefined): void {
    const own = kind.textsOf(item)
    const old = before && kind.textsOf(before)
    while (texts.length < own.length) {
      const index = texts.length
      texts.push(createTextColumn((place) => entries[place] && kind.textsOf(entries[place].item)[index]?.toLowerCase()))
    }
    texts.forEach((column, index) => {
      if (!old || old[index] !== own[index]) column.change(slot)
    })
  }
  function placeInOrder(slot: number, item: T, before: T | undefined): void {
    if (before && fields.every((field) => kind.sortValue(item, field) === kind.sortValue(before, field))) return
    if (before) sorted.remove(slot)
    sorted.add(slot)
  }
  function forgetVerdicts(slot: number): void {
    views.forget(slot)
    conditions.forget(slot)
    words.forget(slot)
  }

  function live(now: number): SlotSet {
    if (now < soonest) return used
    soonest = Infinity
    return filterSlots(used, (slot) => {
      const expires = expiries[slot] ?? 0
      if (expires < soonest) soonest = expires
      return expires > now
    })
  }
  function seenBy(viewers: readonly Viewer[], among: SlotSet): SlotSet {
    const seen = noSlots(among.length * 32)
    for (const viewer of viewers) {
      const passes = (slot: number): boolean => viewer.canSee(at(slot).labels, at(slot).item.id)
      addAll(seen, views.filter(viewer, among, { passes }))
    }
    return seen
  }
  /** What lay in a slot that is free now may be among them. */
  function withLabelSets(sets: SlotSet): SlotSet {
    const found = noSlots(used.length * 32)
    for (let word = 0; word < found.length; word += 1) {
      let bits = 0
      for (let bit = 0; bit < 32; bit += 1) if (hasSlot(sets, labelSlots[word * 32 + bit] ?? 0)) bits |= 1 << bit
      found[word] = bits
    }
    return found
  }
  function searchAll(word: string, isMeant: ((item: T) => boolean) | undefined): SlotSet {
    const found = withLabelSets(labelSets.search(word))
    for (const column of texts) addAll(found, column.search(word))
    if (isMeant)
      addAll(
        found,
        filterSlots(used, (slot) => isMeant(at(slot).item)),
      )
    return found
  }
  const queried: QueriedSlots = {
    withWord(word) {
      // Everything has a text that begins with nothing.
      if (word === '') return used
      if (!canSearchColumns(word)) return noSlots(used.length * 32)
      const isMeant = kind.wholeWords && Object.hasOwn(kind.wholeWords, word) ? kind.wholeWords[word] : undefined
      return words.filter(word, used, {
        passes(slot) {
          const { item, labels } = at(slot)
          const own = [...kind.textsOf(item), ...Object.entries(labels).flat()]
          return isMeant?.(item) === true || own.some((text) => text.toLowerCase().includes(word))
        },
        all: () => searchAll(word, isMeant),
      })
    },
    withLabels: (passes, key, name) =>
      conditions.filter(name, used, {
        passes: (slot) => passes(at(slot).labels),
        all: () => withLabelSets(labelSets.judge(passes, key)),
      }),
    filter(among, test, name) {
      const passes = (slot: number): boolean => test(at(slot))
      return name === undefined ? filterSlots(among, passes) : conditions.filter(name, among, { passes })
    },
  }

  return {
    add(item, facts, replaced) {
      const slot = replaced?.slot ?? free.pop() ?? entries.length
      const labelSet = labelSets.take(item.labels)
      if (replaced) labelSets.giveBack(replaced.labelSet)
      makeRoom(slot + 1)
      const entry = new Entry(kind, item, labelSet, slot, facts)
      entries[slot] = entry
      labelSlots[slot] = labelSet.slot
      expiries[slot] = facts.expires
      soonest = Math.min(soonest, facts.expires)
      addSlot(used, slot)
      placeTexts(slot, item, replaced?.item)
      placeInOrder(slot, item, replaced?.item)
      forgetVerdicts(slot)
      return entry
    },
    remove({ slot, labelSet }) {
      entries[slot] = undefined
      dropSlot(used, slot)
      labelSets.giveBack(labelSet)
      for (const column of texts) column.change(slot)
      sorted.remove(slot)
      forgetVerdicts(slot)
      free.push(slot)
    },
    renew(entry, expires) {
      entry.expires = expires
      expiries[entry.slot] = expires
      soonest = Math.min(soonest, expires)
    },
    count: (now) => countSlots(live(now)),
    list({ limit, startKey, query, search, sort }, viewers, now) {
      const matching = compileListQuery(query)
      const order = parseSort(sort, kind.kind, kind.sortFields, kind.standardSort)
      let matches = seenBy(viewers, live(now))
      for (const word of searchWords(search ?? '')) matches = inBoth(matches, queried.withWord(word))
      if (matching) matches = matching(queried, matches)
      const page = sorted.page({ sort: order, limit, startKey, matches })
      return { ...page, items: page.items.map((slot) => at(slot).item) }
    },
  }
}
