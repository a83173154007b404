import { expect, test } from 'vitest'
import { parseRange } from './range.ts'

test.each([
  ['bytes=0-', { start: 0, end: 10 }],
  ['bytes=4-6', { start: 4, end: 7 }],
  ['bytes=4-400', { start: 4, end: 10 }],
  ['bytes=-3', { start: 7, end: 10 }],
  ['bytes=-30', { start: 0, end: 10 }],
  ['bytes=10-', undefined],
  ['bytes=6-4', undefined],
  ['bytes=-0', undefined],
  ['bytes=-', undefined],
  ['bytes=0-1,3-4', undefined],
  ['lines=0-1', undefined],
  ['bytes=99999999999999999-', undefined],
])('%s of ten bytes', (header, part) => {
  expect(parseRange(header, 10)).toEqual(part)
})
