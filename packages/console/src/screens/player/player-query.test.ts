import { expect, test } from 'vitest'
import { positiveInteger, secondsOf } from './player-query.ts'

test('only whole numbers above zero count', () => {
  expect(positiveInteger('61000')).toBe(61_000)
  for (const text of [undefined, '', '0', '-5', '1.5', '1e3', 'abc', '9'.repeat(40)]) expect(positiveInteger(text), text).toBeUndefined()
})

test('a moment is seconds with or without a fraction', () => {
  expect(['12', '12.345', '0', undefined, '-1', '1e3', '12.3456', 'x'].map(secondsOf)).toEqual([12, 12.345, 0, 0, 0, 0, 0, 0])
})
