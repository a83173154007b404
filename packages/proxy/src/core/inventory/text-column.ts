/**
 * Texts that are searched for a word all together: laid end to end, so that one pass over memory finds the word in
 * a hundred thousand of them. Looking into each by itself takes several times as long.
 */

export interface TextColumn {
  /** The slot of the text, a small number. */
  add(text: string): number
  remove(slot: number): void
  /** 1 at the slots of the texts that contain the word. */
  search(word: string): Uint8Array
}

interface Chunk {
  text: string
  /** Where each text of it ends. */
  ends: Uint32Array
}

/** A change makes so many texts be laid out anew, by the next search. */
const chunkSize = 512
/** In no word. */
const apart = '\0'

export function createTextColumn(): TextColumn {
  const texts: (string | undefined)[] = []
  const free: number[] = []
  const chunks: (Chunk | undefined)[] = []
  const change = (slot: number, text: string | undefined): void => {
    texts[slot] = text
    chunks[Math.floor(slot / chunkSize)] = undefined
  }
  function layOut(number: number): Chunk {
    const ends = new Uint32Array(chunkSize)
    const parts: string[] = []
    let length = 0
    for (let index = 0; index < chunkSize; index += 1) {
      const text = texts[number * chunkSize + index] ?? ''
      length += text.length + 1
      ends[index] = length
      parts.push(text)
    }
    const chunk = { text: parts.join(apart), ends }
    chunks[number] = chunk
    return chunk
  }
  return {
    add(text) {
      const slot = free.pop() ?? texts.length
      change(slot, text)
      return slot
    },
    remove(slot) {
      change(slot, undefined)
      free.push(slot)
    },
    search(word) {
      const hits = new Uint8Array(texts.length)
      if (word.includes(apart)) return hits
      for (let number = 0; number * chunkSize < texts.length; number += 1) {
        const { text, ends } = chunks[number] ?? layOut(number)
        let index = 0
        let found = text.indexOf(word)
        while (found >= 0) {
          while ((ends[index] ?? Infinity) <= found) index += 1
          hits[number * chunkSize + index] = 1
          found = text.indexOf(word, ends[index])
        }
      }
      return hits
    },
  }
}
