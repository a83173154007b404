import { expect, test } from 'vitest'
import { inOrder, withFirst } from './row-order.ts'

const rows = [
  { name: 'host-10', cpus: 4 },
  { name: 'Host-2', cpus: 16 },
  { name: 'host-1', cpus: 4 },
  { name: 'alpha', cpus: 8 },
]
const names = (some: readonly { name: string }[]) => some.map(({ name }) => name)

test('texts go as people order them, numbers by size', () => {
  expect(names(inOrder(rows, ({ name }) => name, false))).toEqual(['alpha', 'host-1', 'Host-2', 'host-10'])
  expect(names(inOrder(rows, ({ cpus }) => cpus, true))).toEqual(['Host-2', 'alpha', 'host-10', 'host-1'])
})
test('rows of one value keep the order in which they came, both ways and however many there are', () => {
  const many = Array.from({ length: 10_000 }, (_, index) => ({ at: index, state: index % 3 }))
  for (const desc of [false, true]) {
    const sorted = inOrder(many, ({ state }) => state, desc)
    const moved = sorted.some((row, index) => sorted[index - 1]?.state === row.state && (sorted[index - 1]?.at ?? 0) > row.at)
    expect(moved).toBe(false)
    expect(sorted.map(({ state }) => state)).toEqual(many.map(({ state }) => state).toSorted((a, b) => (desc ? b - a : a - b)))
  }
  expect(rows[0]?.name).toBe('host-10')
})
test('some rows stand before the others in any order', () => {
  expect(names(withFirst(rows, ({ cpus }) => cpus === 16))).toEqual(['Host-2', 'host-10', 'host-1', 'alpha'])
})
