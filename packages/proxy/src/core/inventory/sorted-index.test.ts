import { expect, test } from 'vitest'
import { createSortedIndex } from './sorted-index.ts'

interface Item {
  id: string
  name: string
}

test('items that come and go between two pages stand where a fresh order would have them', () => {
  const items = new Set<Item>()
  const index = createSortedIndex<Item, 'name' | 'id'>(
    (item, field) => item[field],
    ({ id }) => id,
  )
  const page = (field: 'name' | 'id') =>
    index.page({
      sort: { field, descending: false },
      limit: 1000,
      startKey: undefined,
      views: [{ of: items, accepts: () => true }],
      accepts: () => true,
    }).items
  const add = (item: Item): Item => {
    items.add(item)
    index.add(item)
    return item
  }
  const remove = (item: Item): void => {
    items.delete(item)
    index.remove(item)
  }
  let seed = 7
  const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below
  for (let round = 0; round < 30; round += 1) {
    for (let change = 0; change < random(40); change += 1) {
      const known = [...items]
      const victim = known[random(known.length + 1)]
      if (victim && random(3) === 0) remove(victim)
      else {
        const item = add({ id: `${round}-${change}`, name: `name-${random(20)}` })
        // Replaced before anybody looked.
        if (random(4) === 0) {
          remove(item)
          add({ ...item, name: 'again' })
        }
      }
    }
    for (const field of ['name', 'id'] as const) {
      const expected = [...items].toSorted((a, b) => (a[field] < b[field] ? -1 : a[field] > b[field] ? 1 : a.id < b.id ? -1 : 1))
      expect(page(field)).toEqual(expected)
    }
  }
  expect(items.size).toBeGreaterThan(50)
})
