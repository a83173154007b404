import { randomUUID } from 'node:crypto'
import { storeDialects } from '@sallyport/testkit/stores.ts'
import type { Stores } from '@sallyport/testkit/stores.ts'
import { startPostgres } from '@sallyport/testkit/targets/postgres.ts'
import type { Postgres } from '@sallyport/testkit/targets/postgres.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStore } from '../../store/db.ts'
import type { StoreSource } from '../../store/db.ts'
import { heartbeatTtl, openInventory } from './inventory.ts'
import { createLog } from '../log.ts'
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
      const inventory = opened.use(await openInventory({ db: store.db, clock, locks: noLocks, log: createLog('silent') }))
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
      world.inventory.list({ limit: 1000, sort: 'hostname' }, [{ canSeeNode: all }]).items.map(({ hostname }) => hostname)

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
      expect(world.inventory.list({ limit: 10, search: 'web' }, [{ canSeeNode: all }]).totalCount).toBe(0)
      expect(world.inventory.list({ limit: 10, search: 'prod' }, [{ canSeeNode: all }]).items).toMatchObject([
        { hostname: 'www', os: 'Debian' },
      ])
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

describe.skipIf(whyNoProgram('initdb'))('inventories of two proxies on one database', () => {
  let postgres: Postgres
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres[Symbol.asyncDispose]())
  // A minute behind the database, so that what has just expired here has expired there.
  const clock = { time: Date.now() - 60_000, now: () => clock.time }
  const beat = (hostname: string, more: Partial<NodeHeartbeat> = {}): NodeHeartbeat => ({
    id: randomUUID(),
    hostname,
    tunnel: true,
    ...more,
  })

  async function openSide(url: string) {
    await using opened = new AsyncDisposableStack()
    const store = opened.use(await openStore({ kind: 'postgres', url }))
    /** Ids that the database told of. */
    const told: string[] = []
    const listen: typeof store.listen = (channel, handlers, log) => {
      const onNotice = (payload: string): void => {
        told.push(...payload.split(','))
        handlers.onNotice(payload)
      }
      return store.listen?.(channel, { ...handlers, onNotice }, log) ?? Promise.reject(new Error('it is no PostgreSQL'))
    }
    const inventory = opened.use(await openInventory({ db: store.db, listen, clock, locks: noLocks, log: createLog('silent') }))
    const disposables = opened.move()
    return { store, told, inventory, [Symbol.asyncDispose]: () => disposables.disposeAsync() }
  }
  async function openBoth() {
    const url = await postgres.createDatabase()
    const here = await openSide(url)
    const there = await openSide(url)
    const both = new AsyncDisposableStack()
    both.use(here)
    both.use(there)
    return { here, there, [Symbol.asyncDispose]: () => both.disposeAsync() }
  }

  test('what one hears the other lists, with what is new about it, and no more when it is removed or silent', async () => {
    await using world = await openBoth()
    const { here, there } = world
    const web = beat('web', { labels: { env: 'dev' } })
    await here.inventory.heartbeat(web)
    await expect.poll(() => there.inventory.node(web.id)).toMatchObject({ hostname: 'web', labels: { env: 'dev' } })
    expect([here, there].map(({ inventory }) => inventory.isElsewhere(web.id))).toEqual([false, true])
    await here.inventory.heartbeat({ ...web, hostname: 'www', labels: { env: 'prod' } })
    await expect
      .poll(() => there.inventory.list({ limit: 9, search: 'prod' }, [{ canSeeNode: all }]).items)
      .toMatchObject([{ hostname: 'www' }])
    expect(there.inventory.list({ limit: 9, search: 'dev' }, [{ canSeeNode: all }]).totalCount).toBe(0)
    await there.inventory.heartbeat({ ...web, hostname: 'www', labels: { env: 'prod' } })
    expect(there.inventory.isElsewhere(web.id)).toBe(false)
    await here.inventory.remove(web.id)
    await expect.poll(() => there.inventory.node(web.id)).toBeUndefined()
    const brief = beat('brief', { expires: clock.time + 1000 })
    await here.inventory.heartbeat(brief)
    await expect.poll(() => there.inventory.node(brief.id)?.hostname).toBe('brief')
    clock.time += 1000
    expect(there.inventory.node(brief.id)).toBeUndefined()
    await here.inventory.heartbeat({ ...brief, expires: clock.time + heartbeatTtl })
    await expect.poll(() => there.inventory.node(brief.id)?.hostname).toBe('brief')
  })

  test('a heartbeat that says nothing new is told to nobody; what is told of many is told together', async () => {
    await using world = await openBoth()
    const { here, there } = world
    const crowd = Array.from({ length: 500 }, (_, index) => beat(`host-${index}`))
    const beatAll = () => Promise.all(crowd.map((node) => here.inventory.heartbeat(node)))
    await beatAll()
    await expect.poll(() => there.inventory.count()).toBe(crowd.length)
    const toldOnce = there.told.length
    for (let minute = 0; minute < 5; minute += 1) {
      clock.time += 60_000
      await beatAll()
    }
    const last = beat('last')
    await here.inventory.heartbeat(last)
    await expect.poll(() => there.inventory.node(last.id)?.hostname).toBe('last')
    expect(there.told.slice(toldOnce)).toEqual([last.id])
  })

  test('what happened while nobody was told is there when the connection is back', async () => {
    await using world = await openBoth()
    const { here, there } = world
    const [stays, goes, comes] = [beat('stays'), beat('goes'), beat('comes')]
    for (const node of [stays, goes]) await here.inventory.heartbeat(node)
    await expect.poll(() => there.inventory.count()).toBe(2)
    await here.store.db.transaction().execute(async (transaction) => {
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where pid <> pg_backend_pid() and (query ilike 'listen %' or query = 'select 1')`.execute(transaction)
      // Triggers are off: nothing of this is told by notice, as if nobody had listened.
      await sql`set local session_replication_role = replica`.execute(transaction)
      await transaction.deleteFrom('inventory').where('id', '=', goes.id).execute()
      const row = { kind: 'node', id: comes.id, document: JSON.stringify(comes), expires: clock.time + heartbeatTtl }
      await transaction.insertInto('inventory').values(row).execute()
    })
    for (const { inventory } of [here, there])
      await expect
        .poll(() => inventory.list({ limit: 9, sort: 'hostname' }, [{ canSeeNode: all }]).items.map(({ hostname }) => hostname))
        .toEqual(['comes', 'stays'])
  })
})

test('search text splits on spaces, quotes keep phrases whole, case is ignored', () => {
  expect(searchWords('  Web "Red  Fox" db')).toEqual(['web', 'red  fox', 'db'])
  expect(searchWords('"open end')).toEqual(['open end'])
  expect(searchWords(' "" ')).toEqual([])
})
