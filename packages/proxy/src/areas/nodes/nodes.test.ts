import { randomUUID } from 'node:crypto'
import { openAreaApi } from '@sallyport/testkit/area-api.ts'
import { callerOf, personRoles } from '@sallyport/testkit/callers.ts'
import { pageOf } from '@sallyport/wire/entities/list.ts'
import { nodeWire } from '@sallyport/wire/entities/node.ts'
import { expect, test } from 'vitest'
import { createAccessService } from '../../core/access/access.ts'
import { roleKind } from '../../core/access/role.ts'
import { createAuditLog } from '../../core/audit/audit-log.ts'
import { createChangeFeed } from '../../core/resources/change-feed.ts'
import { openInventory } from '../../core/inventory/inventory.ts'
import { createLog } from '../../core/log.ts'
import { noLocks } from '../../core/locks/lock-doubles.ts'
import { createResourceStore } from '../../core/resources/resources.ts'
import { openStore } from '../../store/db.ts'
import { nodesRoutes } from './routes.ts'

const page = pageOf(nodeWire)

async function world() {
  await using opened = new AsyncDisposableStack()
  const store = opened.use(await openStore({ kind: 'sqlite', file: ':memory:' }))
  const clock = { now: () => Date.parse('2026-11-21T10:00:00Z') }
  const feed = createChangeFeed()
  const roles = createResourceStore(roleKind, { db: store.db, feed, clock })
  const inventory = opened.use(await openInventory({ db: store.db, clock, locks: noLocks, log: createLog('silent') }))
  const api = opened.use(
    await openAreaApi(
      nodesRoutes({
        cluster: { name: 'root', publicUrl: 'http://localhost:3080', version: '0.1.0' },
        inventory,
        access: createAccessService({ roles, feed }),
        audit: opened.use(createAuditLog({ store: store.audit, clusterName: 'root', clock })),
      }),
    ),
  )
  const caller = (name: keyof typeof personRoles) => callerOf(roles, name, personRoles[name])
  const bob = await caller('bob')
  const add = (hostname: string, more: { labels?: Record<string, string>; tunnel?: boolean; addr?: string; logins?: string[] } = {}) =>
    inventory.heartbeat({ id: randomUUID(), hostname, tunnel: false, addr: `10.0.0.1:${1000 + inventory.count()}`, ...more })
  const disposables = opened.move()
  return {
    add,
    bob,
    caller,
    roles,
    api,
    ask: (path: string) => api.get(bob, `/v1/webapi/sites/root/nodes${path}`),
    list: async (path = '') => page.parse((await api.get(bob, `/v1/webapi/sites/root/nodes${path}`)).body),
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  }
}
const hostnames = ({ items }: { items: { hostname: string }[] }): string[] => items.map(({ hostname }) => hostname)

test('R7-043: nodes answer items, startKey and totalCount; without a session 403', async () => {
  await using it = await world()
  await it.add('web-1', { labels: { env: 'prod', 'teleport.hidden/x': 'y' }, logins: ['root', 'daemon'] })
  const answer = await it.ask('')
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({
    items: [
      {
        id: expect.any(String),
        siteId: 'root',
        hostname: 'web-1',
        addr: '10.0.0.1:1000',
        tunnel: false,
        tags: [{ name: 'env', value: 'prod' }],
        sshLogins: ['root'],
        subKind: '',
      },
    ],
    startKey: '',
    totalCount: 1,
  })
  expect(await it.api.get(undefined, '/v1/webapi/sites/root/nodes')).toMatchObject({ status: 403 })
})
test('a node behind a tunnel shows no address', async () => {
  await using it = await world()
  await it.add('far', { tunnel: true, addr: '10.9.9.9:22' })
  expect((await it.list()).items[0]).toMatchObject({ tunnel: true, addr: '' })
})
test('only nodes whose labels a role allows are listed and counted', async () => {
  await using it = await world()
  await it.add('web-1', { labels: { env: 'prod' } })
  await it.add('web-2', { labels: { env: 'dev' } })
  await it.roles.create({ metadata: { name: 'dev' }, spec: { allow: { logins: ['dev'], node_labels: { env: 'dev' } } } })
  const erin = await callerOf(it.roles, 'erin', { roles: ['dev'], logins: [] })
  const path = '/v1/webapi/sites/root/nodes'
  expect((await it.api.get(erin, path)).body).toMatchObject({ items: [{ hostname: 'web-2', sshLogins: ['dev'] }], totalCount: 1 })
  expect((await it.api.get(await it.caller('dan'), path)).body).toMatchObject({ items: [], totalCount: 0 })
})
test('R3-073: limit=2 answers two items; a limit that is no number answers 400', async () => {
  await using it = await world()
  for (const name of ['a', 'b', 'c']) await it.add(name)
  expect(await it.list('?limit=2&sort=hostname:asc')).toMatchObject({ items: [{ hostname: 'a' }, { hostname: 'b' }], totalCount: 3 })
  expect((await it.list('?limit=undefined&searchAsRoles=&startKey=&query=&search=&sort=')).items).toHaveLength(3)
  expect(await it.ask('?limit=x')).toMatchObject({ status: 400, body: { error: { message: 'failed to parse limit as limit: x' } } })
  expect(await it.ask('?limit=-1')).toMatchObject({ status: 400 })
})
test('R3-074: the answered key fetches the next page and survives insertions; empty means end', async () => {
  await using it = await world()
  for (const name of ['b', 'd', 'f']) await it.add(name)
  const first = await it.list('?limit=2&sort=hostname:asc')
  expect(first.startKey).toMatch(/^[\w-]+$/)
  await it.add('a')
  await it.add('e')
  const second = await it.list(`?limit=2&sort=hostname:asc&startKey=${first.startKey}`)
  expect([hostnames(first), hostnames(second)]).toEqual([
    ['b', 'd'],
    ['e', 'f'],
  ])
  expect(second.startKey).toBe('')
  const backwards = await it.list('?limit=2&sort=hostname:desc')
  expect(hostnames(await it.list(`?limit=2&sort=hostname:desc&startKey=${backwards.startKey}`))).toEqual(['d', 'b'])
  expect(hostnames(await it.list('?limit=1&sort=hostname:asc&startKey=garbage'))).toEqual(['a'])
})
test('R3-076: every word must match some field, case ignored', async () => {
  await using it = await world()
  await it.add('Web-Prod', { labels: { team: 'red fox' } })
  await it.add('db-prod', { labels: { 'teleport.internal/resource-id': 'xyz' }, tunnel: true })
  expect(hostnames(await it.list('?search=PROD&sort=hostname'))).toEqual(['db-prod', 'Web-Prod'])
  expect(hostnames(await it.list('?search=prod+web'))).toEqual(['Web-Prod'])
  expect(hostnames(await it.list(`?search=${encodeURIComponent('"red fox"')}`))).toEqual(['Web-Prod'])
  expect(hostnames(await it.list(`?search=${encodeURIComponent('"fox red"')}`))).toEqual([])
  expect(hostnames(await it.list('?search=xyz'))).toEqual(['db-prod'])
  expect(hostnames(await it.list('?search=tunnel'))).toEqual(['db-prod'])
  expect(await it.list('?search=prod+nothing')).toMatchObject({ items: [], totalCount: 0 })
})
test('R3-077: hostname:desc reverses the order; an unknown field answers 501', async () => {
  await using it = await world()
  for (const name of ['b', 'a', 'C']) await it.add(name)
  expect(hostnames(await it.list('?sort=hostname:asc'))).toEqual(['a', 'b', 'C'])
  expect(hostnames(await it.list('?sort=hostname:desc'))).toEqual(['C', 'b', 'a'])
  expect(hostnames(await it.list('?sort=addr:desc'))).toEqual(['C', 'a', 'b'])
  expect(await it.ask('?sort=size:asc')).toMatchObject({
    status: 501,
    body: { error: { message: 'sorting by field "size" for resource "node" is not supported' } },
  })
})
const query = (text: string): string => `?query=${encodeURIComponent(text)}&sort=hostname`
test.each([
  ['labels["env"]=="prod"', ['db-1', 'web-1']],
  ['labels.env != "prod"', ['far', 'web-2']],
  ['labels["none"] == labels["none"]', []],
  ['exists(labels.empty) && labels.empty == ""', ['web-2']],
  ['name == "web-1" || equals(name, `far`)', ['far', 'web-1']],
  ['hasPrefix(name, "web") && !(labels.env == "prod")', ['web-2']],
  ['contains(split(labels["teams"], ","), "blue")', ['db-1']],
  ['search("PROD", "web")', ['web-1']],
  ['resource.kind == "node" && resource.spec.use_tunnel == true', ['far']],
  ['resource.metadata.labels["env"] == "dev"', ['web-2']],
  ['resource.spec.addr == "10.0.0.1:1000"', ['web-1']],
  ['resource.constructor.name == "Object" || exists(labels["__proto__"])', []],
])('R3-075: %s', async (text, expected) => {
  await using it = await world()
  await it.add('web-1', { labels: { env: 'prod' } })
  await it.add('web-2', { labels: { env: 'dev', empty: '' } })
  await it.add('db-1', { labels: { env: 'prod', teams: 'red,blue' } })
  await it.add('far', { tunnel: true })
  const page = await it.list(query(text))
  expect(hostnames(page)).toEqual(expected)
  expect(page.totalCount).toBe(expected.length)
})
test.each([
  ['foo == "x"', 'identifier foo is not defined'],
  ['labels.a.b == "x"', 'only up to 2 fields are supported with identifier "labels", got 3: labels.a.b'],
  ['name.first == "x"', 'only one field is supported with identifier "name", got 2: name.first'],
  ["name == 'x'", 'text stands in double quotes, not in single ones'],
  ['labels["env"]', 'this is neither true nor false; compare it or use a function'],
  ['exec("x")', 'function exec is not defined'],
  ['equals(name)', 'wrong number of operands: it is equals(value, value)'],
  ['exists(name)', 'exists takes a label: exists(labels["key"])'],
  ['split(name, ",")', 'split gives a value, neither true nor false; compare it or use a function'],
  ['name == "a" &&', 'the expression ends too early'],
  ['!name == "a"', 'put what "!" negates into parentheses'],
])('R3-075: %s answers 400', async (text, reason) => {
  await using it = await world()
  expect(await it.ask(query(text))).toMatchObject({
    status: 400,
    body: { error: { message: `failed to parse predicate expression: ${reason}` }, fields: { at: expect.any(Number) } },
  })
})
test('a query shows nothing that roles hide', async () => {
  await using it = await world()
  await it.add('web-1', { labels: { env: 'prod' } })
  const answer = await it.api.get(await it.caller('dan'), `/v1/webapi/sites/root/nodes${query('name == "web-1" || name != "web-1"')}`)
  expect(answer.body).toMatchObject({ items: [], totalCount: 0 })
})
test('an unknown cluster answers 404', async () => {
  await using it = await world()
  expect(await it.api.get(it.bob, '/v1/webapi/sites/elsewhere/nodes')).toMatchObject({
    status: 404,
    body: { error: { message: 'cluster "elsewhere" is not found' } },
  })
  expect(await it.api.get(it.bob, '/v1/webapi/sites/-current-/nodes')).toMatchObject({ status: 200 })
})
