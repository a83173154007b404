import { expect, test } from 'vitest'
import { listSlots } from './slot-set.ts'
import { canSearchColumns, createTextColumn } from './text-column.ts'

test('a word is found in the texts that hold it, and nowhere across two of them, while texts come and go', () => {
  const texts = new Map<number, string>()
  const column = createTextColumn((slot) => texts.get(slot))
  const put = (slot: number, text: string): void => {
    texts.set(slot, text)
    column.change(slot)
  }
  const hits = (word: string): number[] => listSlots(column.search(word)).toSorted((a, b) => a - b)
  const expected = (word: string): number[] =>
    [...texts].flatMap(([slot, text]) => (text.includes(word) ? [slot] : [])).toSorted((a, b) => a - b)
  for (let index = 0; index < 2000; index += 1) put(index, `host-${index % 400}\nü${'x'.repeat(index % 7)}`)
  const words = ['host', 'host-39', 'host-399', 'xxxxxx', 'ü', 'ing', '\n', 'nothing', 'xhost', 'gh', '|', 'µ']
  for (const word of words) expect(hits(word), word).toEqual(expected(word))
  for (const slot of [0, 511, 512, 1999, 700]) {
    texts.delete(slot)
    column.change(slot)
  }
  put(511, 'hosting')
  for (const word of words) expect(hits(word), word).toEqual(expected(word))
  // Beyond what there was room for when the words were first looked for.
  for (let index = 2000; index < 5000; index += 1) put(index, `ghost-${index}`)
  for (const word of words) expect(hits(word), word).toEqual(expected(word))
  expect(words.every(canSearchColumns)).toBe(true)
  for (const word of ['x\0h', '\0', '']) expect(canSearchColumns(word), word).toBe(false)
})
