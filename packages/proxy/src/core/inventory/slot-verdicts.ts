/** What was decided about slots, remembered under who or what decided: the same is asked again and again. */
import { LRUCache } from 'lru-cache'
import { addAll, countSlots, dropSlot, filterSlots, inBoth, inFirst, noSlots, withRoom } from './slot-set.ts'
import type { SlotSet } from './slot-set.ts'

export interface Decider {
  /** Whether what lies in the slot passes: always the same answer, as long as it lies there. */
  passes(slot: number): boolean
  /** All that pass, in one go; others may be among them that were not asked for. */
  all?(): SlotSet
}

export interface SlotVerdicts<By extends string | object> {
  /** Those of `among` that pass; only those are asked that were not before. */
  filter(by: By, among: SlotSet, decider: Decider): SlotSet
  /** Something else lies in the slot. */
  forget(slot: number): void
}

/** Up to so many are asked one by one. */
const few = 200

/** `most`: of those who decide, at two bits for each slot. */
export function createSlotVerdicts<By extends string | object>(most: number): SlotVerdicts<By> {
  const known = new LRUCache<By, { asked: SlotSet; passing: SlotSet }>({ max: most })
  return {
    filter(by, among, { passes, all }) {
      const before = known.get(by)
      const asked = withRoom(before?.asked ?? noSlots(0), among.length * 32)
      const passing = withRoom(before?.passing ?? noSlots(0), among.length * 32)
      known.set(by, { asked, passing })
      const unknown = inFirst(among, asked)
      addAll(passing, all && countSlots(unknown) > few ? inBoth(unknown, all()) : filterSlots(unknown, passes))
      addAll(asked, unknown)
      return inBoth(among, passing)
    },
    forget(slot) {
      for (const { asked, passing } of known.values()) {
        dropSlot(asked, slot)
        dropSlot(passing, slot)
      }
    },
  }
}
