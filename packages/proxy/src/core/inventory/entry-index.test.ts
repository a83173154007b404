import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createEntryIndex } from './entry-index.ts'
import type { Viewer } from './entry-index.ts'
import type { Entry } from './entry.ts'
import type { ListRequest } from './list-query.ts'
import { nodeKind } from './node.ts'
import type { Node } from './node.ts'

type Labels = Node['labels']
type Check = (node: Node) => boolean

const hostnames = ['web-1', 'Web-2', 'db.Example', 'tunnel', 'ü-host', 'a b'] as const
const values = ['prod', 'Dev', 'eu-1', 'web', 'x,y', 'n\0l', ''] as const
const keys = ['env', 'Team', 'name', '__proto__', 'constructor'] as const
const labelsOf = (pairs: readonly (readonly [string, string])[]): Labels => Object.fromEntries(pairs)
const idOf = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
const nodeOf = (number: number, hostname: string, labels: Labels, tunnel: boolean): Node => ({
  id: idOf(number),
  hostname,
  addr: tunnel ? '' : `10.0.0.${number % 256}:22`,
  tunnel,
  labels,
  os: 'linux',
  version: '1',
  subKind: '',
})

// More than one chunk of texts, and places beyond those that changes touch.
const crowd = Array.from({ length: 600 }, (_, index) => {
  const [hostname = '', env = '', team = ''] = [hostnames[index % 6], values[index % 5], values[index % 4]]
  return nodeOf(index, hostname, { env, ...(index % 3 > 0 && { Team: team }) }, index % 2 === 0)
})

const anyLabels = fc.array(fc.tuple(fc.constantFrom(...keys), fc.constantFrom(...values)), { maxLength: 3 }).map(labelsOf)
const anyNode = fc
  .tuple(fc.nat({ max: 620 }), fc.constantFrom(...hostnames), anyLabels, fc.boolean())
  .map(([number, hostname, labels, tunnel]) => nodeOf(number, hostname, labels, tunnel))
const anyChange = fc.oneof(
  fc.record({ kind: fc.constant('put' as const), node: anyNode, expires: fc.nat({ max: 30 }) }),
  fc.record({ kind: fc.constant('renew' as const), number: fc.nat({ max: 620 }), expires: fc.nat({ max: 30 }) }),
  fc.record({ kind: fc.constant('remove' as const), number: fc.nat({ max: 620 }) }),
  fc.record({ kind: fc.constant('wait' as const), time: fc.nat({ max: 10 }) }),
)

const textsOf = ({ id, hostname, addr, labels }: Node): string[] => [id, hostname, addr, ...Object.entries(labels).flat()]
const matchesWord =
  (word: string): Check =>
  (node) =>
    !word.includes('\0') &&
    ((node.tunnel && word.toLowerCase() === 'tunnel') || textsOf(node).some((text) => text.toLowerCase().includes(word.toLowerCase())))
const words = ['web', 'tunnel', 'UNNEL', '10.0.0.1', 'prod', 'env', 'e', '0000-4', 'ü', 'a b', 'nothing', '__proto__', '\0L'] as const
const anyWord = fc.constantFrom(...words)

interface Query {
  text: string
  check: Check
}
const valueOf = ({ labels }: Node, key: string): string | undefined => (Object.hasOwn(labels, key) ? labels[key] : undefined)
const anyLeaf: fc.Arbitrary<Query> = fc.oneof(
  fc.tuple(fc.constantFrom(...keys), fc.constantFrom(...values)).map(([key, value]) => ({
    text: `labels["${key}"] == "${value}"`,
    check: (node: Node) => valueOf(node, key) === value,
  })),
  fc.tuple(fc.constantFrom(...keys), fc.constantFrom(...keys)).map(([a, b]) => ({
    text: `labels["${a}"] != labels["${b}"]`,
    check: (node: Node) => valueOf(node, a) === undefined || valueOf(node, a) !== valueOf(node, b),
  })),
  fc.constantFrom(...keys).map((key) => ({ text: `exists(labels["${key}"])`, check: (node: Node) => valueOf(node, key) !== undefined })),
  fc.constantFrom(...keys).map((key) => ({
    text: `contains(split(labels["${key}"], ","), "y")`,
    check: (node: Node) => valueOf(node, key)?.split(',').includes('y') === true,
  })),
  anyWord.map((word) => ({ text: `search("${word}")`, check: matchesWord(word) })),
  fc.constant({ text: 'search(labels["env"])', check: () => true }),
  fc.constant({ text: 'hasPrefix(name, "web")', check: ({ hostname }: Node) => hostname.startsWith('web') }),
  fc.constant({ text: 'resource.spec.use_tunnel == true', check: ({ tunnel }: Node) => tunnel }),
  fc.boolean().map((value) => ({ text: String(value), check: () => value })),
)
const { query: anyQuery } = fc.letrec<{ query: Query }>((tie) => ({
  query: fc.oneof(
    { maxDepth: 3 },
    anyLeaf,
    fc
      .tuple(tie('query'), tie('query'))
      .map(([a, b]) => ({ text: `(${a.text} && ${b.text})`, check: (node: Node) => a.check(node) && b.check(node) })),
    fc
      .tuple(tie('query'), tie('query'))
      .map(([a, b]) => ({ text: `(${a.text} || ${b.text})`, check: (node: Node) => a.check(node) || b.check(node) })),
    tie('query').map((of) => ({ text: `!(${of.text})`, check: (node: Node) => !of.check(node) })),
  ),
}))

const viewers: readonly [Viewer, ...Viewer[]] = [
  { canSee: () => true },
  { canSee: (labels) => labels['env'] === 'prod' },
  { canSee: (labels, id) => labels['env'] !== 'prod' && Number(id.slice(-1)) < 3 },
]
const anyRequest = fc.record({
  limit: fc.constantFrom(9, 100, 1000),
  sort: fc.constantFrom('name', 'hostname', 'addr'),
  descending: fc.boolean(),
  search: fc.array(anyWord, { maxLength: 2 }),
  query: fc.option(anyQuery, { nil: undefined }),
  viewers: fc.subarray([...viewers], { minLength: 1 }),
})
const sortValue = ({ id, hostname, addr }: Node, sort: string): string =>
  sort === 'name' ? id : (sort === 'hostname' ? hostname : addr).toLowerCase()
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

test('a list shows what looking at each would show, in its order and page by page, while items come, change, expire and go', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.array(anyChange, { maxLength: 8 }), anyRequest), { minLength: 1, maxLength: 6 }), (rounds) => {
      let now = 0
      const index = createEntryIndex(nodeKind)
      const entries = new Map<string, Entry<Node, 'name' | 'hostname' | 'address'>>()
      const put = (node: Node, expires: number): void => {
        entries.set(node.id, index.add(node, { revision: '', expires, isElsewhere: false }, entries.get(node.id)))
      }
      crowd.forEach((node, number) => put(node, number % 200 === 0 ? 30 : Infinity))
      for (const [changes, { limit, sort, descending, search, query, viewers: asking }] of rounds) {
        for (const change of changes) {
          if (change.kind === 'wait') now += change.time
          else if (change.kind === 'put') put(change.node, now + change.expires)
          else {
            const entry = entries.get(idOf(change.number))
            if (!entry) continue
            if (change.kind === 'renew') index.renew(entry, now + change.expires)
            else {
              index.remove(entry)
              entries.delete(entry.item.id)
            }
          }
        }
        const live = [...entries.values()].filter(({ expires }) => expires > now).map(({ item }) => item)
        expect(index.count(now)).toBe(live.length)
        const expected = live
          .filter(({ labels, id }) => asking.some((viewer) => viewer.canSee(labels, id)))
          .filter((node) => search.every((word) => matchesWord(word)(node)) && (query?.check(node) ?? true))
          .toSorted((a, b) => (compare(sortValue(a, sort), sortValue(b, sort)) || compare(a.id, b.id)) * (descending ? -1 : 1))
        const shown: Node[] = []
        const request: ListRequest = {
          limit,
          sort: `${sort}:${descending ? 'desc' : 'asc'}`,
          search: search.map((word) => `"${word}"`).join(' '),
          query: query?.text,
        }
        for (let startKey = ''; ;) {
          const page = index.list({ ...request, startKey }, asking, now)
          expect(page.totalCount).toBe(expected.length)
          shown.push(...page.items)
          expect(page.items.length).toBeLessThanOrEqual(limit)
          startKey = page.startKey
          if (startKey === '') break
          expect(page.items).toHaveLength(limit)
        }
        expect(shown.map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
      }
    }),
    { numRuns: 50 },
  )
})

test('a sort field that there is not and a query that cannot be read are refused', () => {
  const index = createEntryIndex(nodeKind)
  const list = (request: Partial<ListRequest>) => index.list({ limit: 10, ...request }, viewers, 0)
  expect(list({})).toEqual({ items: [], startKey: '', totalCount: 0 })
  expect(() => list({ sort: 'colour' })).toThrow(expect.objectContaining({ code: 'not_implemented' }))
  expect(() => list({ query: 'labels["env"' })).toThrow(expect.objectContaining({ code: 'bad_parameter' }))
})

test('everything has a text that begins with nothing', () => {
  const index = createEntryIndex(nodeKind)
  for (const node of crowd) index.add(node, { revision: '', expires: Infinity, isElsewhere: false })
  for (const query of ['search("")', 'search(labels["env"])', 'search("", "web-1")'])
    expect(index.list({ limit: 10, query }, viewers, 0).totalCount, query).toBe(query.includes('web') ? 100 : crowd.length)
})

test('what a query says of when a resource expires changes with it', () => {
  const index = createEntryIndex(nodeKind)
  const [node] = crowd
  if (!node) throw new Error('there is nobody in the crowd')
  const entry = index.add(node, { revision: '', expires: 30, isElsewhere: false })
  const count = () => index.list({ limit: 10, query: 'resource.metadata.expires == "1970-01-01T00:00:00.030Z"' }, viewers, 0).totalCount
  expect(count()).toBe(1)
  index.renew(entry, 40)
  expect(count()).toBe(0)
})
