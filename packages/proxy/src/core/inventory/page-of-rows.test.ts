import { expect, test } from 'vitest'
import { pageOfRows } from './page-of-rows.ts'
import type { RowKind } from './page-of-rows.ts'

interface Row {
  name: string
  space: string
  labels: Record<string, string>
}
const kind: RowKind<Row> = {
  name: 'pod',
  isSortable: true,
  nameOf: ({ name }) => name,
  placeOf: ({ space }) => space,
  textsOf: ({ space, labels }) => [space, ...Object.entries(labels).flat()],
  queried: ({ space, labels }) => ({ labels, spec: () => ({ space }), resource: () => ({ kind: 'pod', spec: { space } }) }),
}
const row = (name: string, space: string, labels = {}): Row => ({ name, space, labels })
const rows = [row('web', 'b', { app: 'Shop' }), row('db', 'a'), row('web', 'a'), row('dns', 'system')]
const list = (request: Partial<Parameters<typeof pageOfRows>[2]> = {}) => pageOfRows(rows, kind, { limit: 1000, ...request })
const told = (request: Parameters<typeof list>[0]) => list(request).items.map(({ name, space }) => `${space}/${name}`)

test('pages follow each other in both directions, none twice, and count what matches', () => {
  for (const [sort, expected] of [
    ['', 'a/db system/dns a/web b/web'],
    ['name:desc', 'b/web a/web system/dns a/db'],
  ] as const) {
    const seen: string[] = []
    let startKey = ''
    do {
      const page = list({ sort, limit: 3, startKey })
      expect(page.totalCount).toBe(4)
      expect(page.startKey).toMatch(/^[\w-]*$/)
      seen.push(...page.items.map(({ name, space }) => `${space}/${name}`))
      startKey = page.startKey
    } while (startKey !== '')
    expect(seen.join(' ')).toBe(expected)
  }
  expect(told({ limit: 1, startKey: 'unknown' })).toEqual(['a/db'])
})
test('words and queries leave out what does not match; what cannot be asked is refused', () => {
  expect(told({ search: 'WEB shop' })).toEqual(['b/web'])
  expect(told({ query: 'name == "web" && resource.spec.space == "a"' })).toEqual(['a/web'])
  expect(told({ query: 'search("system") || labels.app == "Shop"' })).toEqual(['system/dns', 'b/web'])
  expect(() => list({ query: 'name ==' })).toThrow('failed to parse predicate expression: ')
  expect(() => list({ sort: 'age:asc' })).toThrow('sorting by field "age" for resource "pod" is not supported')
  expect(() => pageOfRows(rows, { ...kind, isSortable: false }, { limit: 1, sort: 'name' })).toThrow('sorting by field "name"')
})
