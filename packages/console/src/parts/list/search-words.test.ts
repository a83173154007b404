import { expect, test } from 'vitest'
import { joinWords, splitWords } from './search-words.ts'

test('words are split on spaces, quoted phrases stay whole, and writing them again keeps them', () => {
  expect(splitWords('  env "two words"  prod ')).toEqual(['env', 'two words', 'prod'])
  expect(splitWords('')).toEqual([])
  expect(joinWords(['env', 'two words'])).toBe('env "two words"')
  expect(splitWords(joinWords(['a b', 'c']))).toEqual(['a b', 'c'])
})

test('a quote that never ends is a word of its own', () => {
  expect(splitWords('"open')).toEqual(['"open'])
})
