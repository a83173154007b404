import { expect, test } from 'vitest'
import { pageNumbers, pageText } from './page-numbers.ts'

test('few pages all have a number', () => {
  expect(pageNumbers(1, 4)).toEqual([0, 1, 2, 3])
  expect(pageNumbers(0, 1)).toEqual([0])
})

test('many pages keep both ends and the neighbours; a gap hides more than one', () => {
  expect(pageNumbers(50, 98)).toEqual([0, undefined, 49, 50, 51, undefined, 97])
  expect(pageNumbers(3, 98)).toEqual([0, 1, 2, 3, 4, undefined, 97])
})

test('which rows a page shows: the last one has what is left', () => {
  expect(pageText(0, 20, 10_000)).toBe('Showing 1–20 of 10,000')
  expect(pageText(2, 20, 44)).toBe('Showing 41–44 of 44')
})
