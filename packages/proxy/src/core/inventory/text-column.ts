/**
 * Texts that are searched for a word all together: laid end to end, so that one pass over memory finds the word in
 * a hundred thousand of them. Looking into each by itself takes several times as long.
 */
import { LRUCache } from 'lru-cache'

export interface TextColumn {
  /** The slot of the text, a small number. */
  add(text: string): number
  remove(slot: number): void
  /** 1 at the slots of the texts that contain the word, until the next change. */
  search(word: string): Uint8Array
}

interface Chunk {
  /** Another one after each change. */
  version: number
  text: string
  /** Where each text of it ends. */
  ends: Uint32Array
}

/** A change makes so many texts be laid out anew, by the next search. */
const chunkSize = 512
/** Words whose hits are remembered, at a byte for each text: the next page, another order and the same list again ask for the same. */
const maxWords = 32
/** In no word. */
const apart = '\0'

export function createTextColumn(): TextColumn {
  const texts: (string | undefined)[] = []
  const free: number[] = []
  const chunks: (Chunk | undefined)[] = []
  /** `versions`: of the chunks that were looked through. */
  const known = new LRUCache<string, { hits: Uint8Array; versions: number[] }>({ max: maxWords })
  let version = 0
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
    version += 1
    const chunk = { version, text: parts.join(apart), ends }
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
      if (word.includes(apart)) return new Uint8Array(texts.length)
      let found = known.get(word)
      if (!found || found.hits.length < texts.length) {
        found = { hits: new Uint8Array(Math.ceil((texts.length * 1.25) / chunkSize) * chunkSize), versions: [] }
        known.set(word, found)
      }
      const { hits, versions } = found
      for (let number = 0; number * chunkSize < texts.length; number += 1) {
        const chunk = chunks[number] ?? layOut(number)
        if (versions[number] === chunk.version) continue
        versions[number] = chunk.version
        hits.fill(0, number * chunkSize, (number + 1) * chunkSize)
        let index = 0
        let at = chunk.text.indexOf(word)
        while (at >= 0) {
          while ((chunk.ends[index] ?? Infinity) <= at) index += 1
          hits[number * chunkSize + index] = 1
          at = chunk.text.indexOf(word, chunk.ends[index])
        }
      }
      return hits
    },
  }
}
