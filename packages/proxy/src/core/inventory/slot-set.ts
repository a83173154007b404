/** Sets of small numbers, such as the slots of an index: a bit for each, so that a hundred thousand of them are compared in microseconds. */

/** Those of different lengths go together: what lies beyond the end of one is not in it. */
export type SlotSet = Uint32Array<ArrayBuffer>

/** Without anything in it, and with room for slots below `size`. */
export const noSlots = (size: number): SlotSet => new Uint32Array(Math.ceil(size / 32))

export const hasSlot = (set: SlotSet, slot: number): boolean => (((set[slot >>> 5] ?? 0) >>> (slot & 31)) & 1) === 1

export function addSlot(set: SlotSet, slot: number): void {
  set[slot >>> 5] = (set[slot >>> 5] ?? 0) | (1 << (slot & 31))
}

export function dropSlot(set: SlotSet, slot: number): void {
  set[slot >>> 5] = (set[slot >>> 5] ?? 0) & ~(1 << (slot & 31))
}

/** The set itself, or a copy with room for slots below `size` and some more. */
export function withRoom(set: SlotSet, size: number): SlotSet {
  if (set.length * 32 >= size) return set
  const larger = noSlots(size * 1.25)
  larger.set(set)
  return larger
}

/** As long as `a`. */
export const inBoth = (a: SlotSet, b: SlotSet): SlotSet => {
  const both = new Uint32Array(a.length)
  const end = Math.min(a.length, b.length)
  for (let word = 0; word < end; word += 1) both[word] = (a[word] ?? 0) & (b[word] ?? 0)
  return both
}

/** What is in `a` and not in `b`; as long as `a`. */
export const inFirst = (a: SlotSet, b: SlotSet): SlotSet => {
  const rest = new Uint32Array(a)
  const end = Math.min(a.length, b.length)
  for (let word = 0; word < end; word += 1) rest[word] = (a[word] ?? 0) & ~(b[word] ?? 0)
  return rest
}

/** Puts what is in `more` into `set`, as far as it has room. */
export function addAll(set: SlotSet, more: SlotSet): void {
  const end = Math.min(set.length, more.length)
  for (let word = 0; word < end; word += 1) set[word] = (set[word] ?? 0) | (more[word] ?? 0)
}

export function countSlots(set: SlotSet): number {
  let count = 0
  for (let word = 0; word < set.length; word += 1) {
    let bits = set[word] ?? 0
    bits -= (bits >>> 1) & 0x55555555
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
    count += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
  }
  return count
}

/** Those that pass, of the set's own. */
export function filterSlots(set: SlotSet, passes: (slot: number) => boolean): SlotSet {
  const passing = new Uint32Array(set.length)
  for (let word = 0; word < set.length; word += 1) {
    let bits = set[word] ?? 0
    let kept = 0
    while (bits !== 0) {
      const bit = 31 - Math.clz32(bits)
      bits = (bits & ~(1 << bit)) >>> 0
      if (passes(word * 32 + bit)) kept |= 1 << bit
    }
    passing[word] = kept
  }
  return passing
}

export function listSlots(set: SlotSet): number[] {
  const slots: number[] = []
  filterSlots(set, (slot) => slots.push(slot) > 0)
  return slots
}
