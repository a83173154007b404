/** Labels, each set of them kept once: many items have the same, and what is decided about one holds for all. */
import type { Labels } from '../access/match.ts'
import { createTextColumn } from './text-column.ts'

export interface LabelSet {
  readonly labels: Labels
  /** Its place in what `search` answers. */
  readonly slot: number
}

export interface LabelSets {
  take(labels: Labels): LabelSet
  giveBack(set: LabelSet): void
  /** 1 at the slots of the sets with a key or a value that contains the word. */
  search(word: string): Uint8Array
}

const apart = '\n'

export function createLabelSets(): LabelSets {
  const column = createTextColumn()
  const known = new Map<string, { set: LabelSet; count: number }>()
  return {
    take(labels) {
      const key = JSON.stringify(labels)
      let entry = known.get(key)
      if (!entry) {
        // Keys and values, each apart.
        const text = Object.entries(labels).flat().join(apart).toLowerCase()
        entry = { set: { labels, slot: column.add(text) }, count: 0 }
        known.set(key, entry)
      }
      entry.count += 1
      return entry.set
    },
    giveBack({ labels, slot }) {
      const key = JSON.stringify(labels)
      const entry = known.get(key)
      if (!entry) return
      entry.count -= 1
      if (entry.count > 0) return
      known.delete(key)
      column.remove(slot)
    },
    search: (word) => column.search(word),
  }
}
