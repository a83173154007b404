import { expect, test } from 'vitest'
import { loadPiece } from './lazy-piece.ts'

test('a piece that cannot be fetched is tried again, at longer and longer pauses', async () => {
  const pauses: number[] = []
  let tries = 0
  const load = () => (++tries > 7 ? Promise.resolve('here') : Promise.reject(new TypeError('Failed to fetch')))
  expect(await loadPiece(load, async (ms) => void pauses.push(ms))).toBe('here')
  expect(pauses).toEqual([500, 1000, 2000, 4000, 8000, 8000, 8000])
})
