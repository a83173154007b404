import { randomUUID } from 'node:crypto'
import { storeDialects } from '@sallyport/testkit/stores.ts'
import type { Stores } from '@sallyport/testkit/stores.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStore } from '../../store/db.ts'
import type { StoreSource } from '../../store/db.ts'
import { heartbeatTtl, openInventory } from './inventory.ts'
import { noLocks } from '../locks/lock-doubles.ts'
import type { NodeHeartbeat } from './inventory.ts'
import { searchWords } from './list-query.ts'

const all = () => true

describe.each(storeDialects)('$name', ({ skip, open }) => {
  describe.skipIf(skip)('inventory', () => {
    let stores: Stores
    beforeAll(async () => {
      stores = await open()
    })
    afterAll(() => stores[Symbol.asyncDispose]())
    const clock = { time: Date.parse('2026-11-21T10:00:00Z'), now: () => clock.time }
    async function openWorld(source?: StoreSource) {
      await using opened = new AsyncDisposableStack()
      const store = opened.use(await openStore(source ?? (await stores.source())))
      const inventory = opened.use(await openInventory({ db: store.db, clock, locks: noLocks }))
      const disposables = opened.move()
      return { inventory, [Symbol.asyncDispose]: () => disposables.disposeAsync() }
    }
    const beat = (hostname: string, more: Partial<NodeHeartbeat> = {}): NodeHeartbeat => ({
      id: randomUUID(),
      hostname,
      addr: '',
      tunnel: true,
      labels: { env: 'dev' },
      os: 'Debian',
      ...more,
    })
    const names = (world: Awaited<ReturnType<typeof openWorld>>) =>
      world.inventory.list({ limit: 1000, sort: 'hostname' }, all).items.map(({ hostname }) => hostname)

    test('a node is listed until it has been silent for the whole time to live, across a restart', async () => {
      const source = await stores.source()
      const web = beat('web')
      {
        await using world = await openWorld(source)
        await world.inventory.heartbeat(web)
        await world.inventory.heartbeat(beat('db'))
      }
      await using world = await openWorld(source)
      expect(names(world)).toEqual(['db', 'web'])
      clock.time += heartbeatTtl / 2
      await world.inventory.heartbeat(web)
      clock.time += heartbeatTtl / 2
      expect(names(world)).toEqual(['web'])
      expect(world.inventory.count()).toBe(1)
      clock.time += heartbeatTtl
      expect(names(world)).toEqual([])
      expect(world.inventory.node(web.id)).toBeUndefined()
      await using later = await openWorld(source)
      expect(names(later)).toEqual([])
    })
    test('a heartbeat with new facts replaces the old ones, also in search; a removed node is gone', async () => {
      await using world = await openWorld()
      const web = beat('web')
      await world.inventory.heartbeat(web)
      await world.inventory.heartbeat({ ...web, hostname: 'www', labels: { env: 'prod' } })
      expect(world.inventory.list({ limit: 10, search: 'web' }, all).totalCount).toBe(0)
      expect(world.inventory.list({ limit: 10, search: 'prod' }, all).items).toMatchObject([{ hostname: 'www', os: 'Debian' }])
      await world.inventory.remove(web.id)
      expect(names(world)).toEqual([])
    })
    test('a server is found by id, else by exact hostname, else by exact address; several are told apart', async () => {
      await using world = await openWorld()
      const one = beat('one', { addr: '10.0.0.1:3022', tunnel: false })
      const [twin, other] = [beat('twin'), beat('twin', { labels: { env: 'prod' } })]
      for (const node of [one, twin, other]) await world.inventory.heartbeat(node)
      const { inventory } = world
      for (const id of [one.id, one.id.toUpperCase(), 'one', '10.0.0.1:3022'])
        expect(inventory.resolve(id), id).toMatchObject({ kind: 'found', node: { id: one.id } })
      for (const id of [randomUUID(), 'on', 'ONE', '10.0.0.1', '']) expect(inventory.resolve(id), id).toEqual({ kind: 'none' })
      expect(inventory.resolve('twin')).toMatchObject({ kind: 'ambiguous', nodes: [{ hostname: 'twin' }, { hostname: 'twin' }] })
      const visible = (node: { labels: Record<string, string> }) => node.labels['env'] === 'dev'
      expect(inventory.resolve('twin', visible)).toMatchObject({ kind: 'found', node: { id: twin.id } })
      expect(inventory.resolve(other.id, visible)).toEqual({ kind: 'none' })
    })
    test('a heartbeat that is malformed is refused and changes nothing', async () => {
      await using world = await openWorld()
      await expect(world.inventory.heartbeat(beat('x', { id: 'no-uuid' }))).rejects.toMatchObject({ code: 'bad_parameter' })
      await expect(world.inventory.heartbeat(beat(''))).rejects.toMatchObject({ code: 'bad_parameter' })
      expect(names(world)).toEqual([])
    })
  })
})

test('search text splits on spaces, quotes keep phrases whole, case is ignored', () => {
  expect(searchWords('  Web "Red  Fox" db')).toEqual(['web', 'red  fox', 'db'])
  expect(searchWords('"open end')).toEqual(['open end'])
  expect(searchWords(' "" ')).toEqual([])
})
