import { expect, test } from 'vitest'
import { compileGlob, hasWildcard } from './glob.ts'

test.each([
  ['*', 'a', true],
  ['*', '.hidden', false],
  ['.*', '.hidden', true],
  ['*.log', 'a.log', true],
  ['*.log', 'a.log.1', false],
  ['a*b*c', 'aXbYbZc', true],
  ['a*b*c', 'aXbYbZ', false],
  ['?', 'ä', true],
  ['?', '😀', true],
  ['?', '', false],
  ['[a-c]x', 'bx', true],
  ['[!a-c]x', 'bx', false],
  ['[^a-c]x', 'dx', true],
  ['[]]', ']', true],
  ['[a', '[a', true],
  [String.raw`\*`, '*', true],
  [String.raw`\*`, 'a', false],
  ['', '', true],
  ['a**b', 'ab', true],
])('%j and %j: %s', (pattern, name, matches) => {
  expect(compileGlob(pattern)(name)).toBe(matches)
})

test('a pattern made to be slow is not', () => {
  expect(compileGlob('*a'.repeat(2000))('a'.repeat(254))).toBe(false)
  expect(compileGlob(`${'*a'.repeat(100)}*b`)('a'.repeat(255))).toBe(false)
})

test('what has none is taken as it is', () => {
  expect(['a', 'a*', 'a?', '[a]'].map(hasWildcard)).toEqual([false, true, true, true])
})
