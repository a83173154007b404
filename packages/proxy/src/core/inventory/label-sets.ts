/**
 * Labels, each set of them kept once: many items have the same, and what is decided about one holds for all.
 *
 * Of the sets, each key with a value is kept once in turn: a hundred thousand sets have few that differ, so a word is
 * looked for, and a condition on one label judged, in those, and the sets are found by their numbers.
 */
import type { Labels } from '../access/match.ts'
import { addSlot, hasSlot, noSlots } from './slot-set.ts'
import type { SlotSet } from './slot-set.ts'
import { createTextColumn } from './text-column.ts'

export interface LabelSet {
  readonly labels: Labels
  /** Its place in what `search` and `judge` answer. */
  readonly slot: number
}

export interface LabelSets {
  take(labels: Labels): LabelSet
  giveBack(set: LabelSet): void
  /** The slots of the sets with a key or a value that contains the word, which is in lower case and can be searched in columns. */
  search(word: string): SlotSet
  /** The slots of the sets that pass. A test that looks at one label only is told which, and is asked much less often. */
  judge(passes: (labels: Labels) => boolean, key?: string): SlotSet
}

/** One label as some of the sets have it. */
interface Pair {
  readonly id: number
  readonly key: string
  readonly value: string
  /** Sets that have it. */
  count: number
}

interface Known {
  readonly set: LabelSet
  /** Those who have taken it. */
  count: number
}

export function createLabelSets(): LabelSets {
  const known = new Map<string, Known>()
  /** By slot: the numbers of the pairs of a set. */
  const pairsOf: (readonly number[] | undefined)[] = []
  const free: number[] = []
  const pairs: (Pair | undefined)[] = []
  const freePairs: number[] = []
  /** By key, then by value. */
  const byKey = new Map<string, Map<string, Pair>>()
  const keys = createTextColumn((id) => pairs[id]?.key.toLowerCase())
  const values = createTextColumn((id) => pairs[id]?.value.toLowerCase())

  function takePair(key: string, value: string): number {
    let ofKey = byKey.get(key)
    if (!ofKey) byKey.set(key, (ofKey = new Map()))
    let pair = ofKey.get(value)
    if (!pair) {
      pair = { id: freePairs.pop() ?? pairs.length, key, value, count: 0 }
      ofKey.set(value, pair)
      replacePair(pair.id, pair)
    }
    pair.count += 1
    return pair.id
  }
  function giveBackPair(id: number): void {
    const pair = pairs[id]
    if (!pair) return
    pair.count -= 1
    if (pair.count > 0) return
    const ofKey = byKey.get(pair.key)
    ofKey?.delete(pair.value)
    if (ofKey?.size === 0) byKey.delete(pair.key)
    replacePair(id, undefined)
    freePairs.push(id)
  }
  function replacePair(id: number, pair: Pair | undefined): void {
    pairs[id] = pair
    keys.change(id)
    values.change(id)
  }
  /** The sets that have a pair with the verdict yes; of sets whose pairs have no verdict all or none. */
  function setsWith(verdicts: Uint8Array, otherwise: boolean): SlotSet {
    const sets = noSlots(pairsOf.length)
    for (let slot = 0; slot < pairsOf.length; slot += 1) {
      const ids = pairsOf[slot]
      if (!ids) continue
      let verdict = 0
      for (let index = 0; index < ids.length && verdict === 0; index += 1) verdict = verdicts[ids[index] ?? 0] ?? 0
      if (verdict === 0 ? otherwise : verdict === verdictOf.yes) addSlot(sets, slot)
    }
    return sets
  }
  return {
    take(labels) {
      const name = JSON.stringify(labels)
      let entry = known.get(name)
      if (!entry) {
        entry = { set: { labels, slot: free.pop() ?? pairsOf.length }, count: 0 }
        known.set(name, entry)
        pairsOf[entry.set.slot] = Object.entries(labels).map(([key, value]) => takePair(key, value))
      }
      entry.count += 1
      return entry.set
    },
    giveBack({ labels, slot }) {
      const name = JSON.stringify(labels)
      const entry = known.get(name)
      if (!entry) return
      entry.count -= 1
      if (entry.count > 0) return
      known.delete(name)
      for (const id of pairsOf[slot] ?? []) giveBackPair(id)
      pairsOf[slot] = undefined
      free.push(slot)
    },
    search(word) {
      const [inKeys, inValues] = [keys.search(word), values.search(word)]
      const verdicts = new Uint8Array(pairs.length)
      let hits = 0
      for (let id = 0; id < verdicts.length; id += 1) if (hasSlot(inKeys, id) || hasSlot(inValues, id)) hits += verdicts[id] = verdictOf.yes
      return hits > 0 ? setsWith(verdicts, false) : noSlots(pairsOf.length)
    },
    judge(passes, key) {
      if (key === undefined) {
        const passing = noSlots(pairsOf.length)
        for (const { set } of known.values()) if (passes(set.labels)) addSlot(passing, set.slot)
        return passing
      }
      const verdicts = new Uint8Array(pairs.length)
      for (const { id, value } of byKey.get(key)?.values() ?? []) verdicts[id] = passes({ [key]: value }) ? verdictOf.yes : verdictOf.no
      return setsWith(verdicts, passes({}))
    },
  }
}

const verdictOf = { yes: 1, no: 2 } as const
