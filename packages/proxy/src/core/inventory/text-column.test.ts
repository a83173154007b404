import { expect, test } from 'vitest'
import { createTextColumn } from './text-column.ts'

test('a word is found in the texts that hold it, and nowhere across two of them, while texts come and go', () => {
  const column = createTextColumn()
  const texts = new Map<number, string>()
  const hits = (word: string): number[] => [...column.search(word)].flatMap((hit, slot) => (hit === 1 ? [slot] : []))
  const expected = (word: string): number[] =>
    [...texts].flatMap(([slot, text]) => (text.includes(word) ? [slot] : [])).toSorted((a, b) => a - b)
  for (let index = 0; index < 2000; index += 1) {
    const text = `host-${index % 400}\nü${'x'.repeat(index % 7)}`
    texts.set(column.add(text), text)
  }
  const words = ['host', 'host-39', 'host-399', 'xxxxxx', 'ü', 'ing', '\n', 'nothing', 'xhost', 'gh']
  for (const word of words) expect(hits(word), word).toEqual(expected(word))
  for (const slot of [0, 511, 512, 1999, 700]) {
    column.remove(slot)
    texts.delete(slot)
  }
  const again = column.add('hosting')
  texts.set(again, 'hosting')
  expect(again).toBeLessThan(2000)
  for (const word of words) expect(hits(word), word).toEqual(expected(word))
  // Beyond what there was room for when the words were first looked for.
  for (let index = 0; index < 3000; index += 1) texts.set(column.add(`ghost-${index}`), `ghost-${index}`)
  for (const word of words) expect(hits(word), word).toEqual(expected(word))
  expect(hits('x\0h')).toEqual([])
})
