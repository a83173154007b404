/**
 * A text of each of many items, searched for a word all together: laid end to end, so that one pass over memory finds the
 * word in a hundred thousand of them. Looking into each by itself takes several times as long.
 */
import { addSlot, noSlots } from './slot-set.ts'
import type { SlotSet } from './slot-set.ts'

export interface TextColumn {
  /** The text at a slot is another one now, there is one now, or none any more. */
  change(slot: number): void
  /** The slots of the texts that contain the word. It must be one for which `canSearchColumns`. */
  search(word: string): SlotSet
}

interface Chunk {
  text: string
  /** Where each text of it ends. */
  ends: Uint32Array
  letters: Letters
}

/** A change makes so many texts be laid out anew, by the next search. */
const chunkSize = 512
const apart = '\0'

/** Without a word there is nothing to look for, and one with what keeps texts apart would be found across them. */
export const canSearchColumns = (word: string): boolean => word !== '' && !word.includes(apart)

/** Which letters occur, by the last seven bits of their codes: a word with another one is nowhere in the text. */
type Letters = readonly [number, number, number, number]
function lettersOf(text: string): Letters {
  let [first, second, third, fourth] = [0, 0, 0, 0]
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    const bit = 1 << (code & 31)
    const part = code & 96
    if (part === 96) fourth |= bit
    else if (part === 32) second |= bit
    else if (part === 64) third |= bit
    else first |= bit
  }
  return [first, second, third, fourth]
}
const holds = (all: Letters, some: Letters): boolean =>
  (some[0] & ~all[0]) === 0 && (some[1] & ~all[1]) === 0 && (some[2] & ~all[2]) === 0 && (some[3] & ~all[3]) === 0

/** `textOf`: in lower case; undefined where there is none. */
export function createTextColumn(textOf: (slot: number) => string | undefined): TextColumn {
  let size = 0
  const chunks: (Chunk | undefined)[] = []
  function layOut(number: number): Chunk {
    const ends = new Uint32Array(chunkSize)
    const parts: string[] = []
    let length = 0
    for (let index = 0; index < chunkSize; index += 1) {
      const text = textOf(number * chunkSize + index) ?? ''
      length += text.length + 1
      ends[index] = length
      parts.push(text)
    }
    const text = parts.join(apart)
    const chunk = { text, ends, letters: lettersOf(text) }
    chunks[number] = chunk
    return chunk
  }
  return {
    change(slot) {
      size = Math.max(size, slot + 1)
      chunks[Math.floor(slot / chunkSize)] = undefined
    },
    search(word) {
      const hits = noSlots(size)
      const letters = lettersOf(word)
      for (let number = 0; number * chunkSize < size; number += 1) {
        const chunk = chunks[number] ?? layOut(number)
        if (!holds(chunk.letters, letters)) continue
        let index = 0
        let at = chunk.text.indexOf(word)
        while (at >= 0) {
          while ((chunk.ends[index] ?? Infinity) <= at) index += 1
          addSlot(hits, number * chunkSize + index)
          at = chunk.text.indexOf(word, chunk.ends[index])
        }
      }
      return hits
    },
  }
}
