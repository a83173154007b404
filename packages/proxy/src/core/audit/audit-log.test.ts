import { storeDialects } from '@sallyport/testkit/stores.ts'
import type { Stores } from '@sallyport/testkit/stores.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStore } from '../../store/db.ts'
import type { StoreSource } from '../../store/db.ts'
import { createAuditLog } from './audit-log.ts'
import type { AuditQuery } from './audit.ts'

const everything: AuditQuery = { from: new Date(0), to: new Date('2100-01-01'), types: undefined, limit: 100, startKey: '', order: 'asc' }
const clock = () => {
  const it = { time: Date.parse('2026-11-21T10:00:00Z'), now: () => it.time }
  return it
}

describe.each(storeDialects)('$name', ({ skip, open }) => {
  describe.skipIf(skip)('audit log', () => {
    let stores: Stores
    beforeAll(async () => {
      stores = await open()
    })
    afterAll(() => stores[Symbol.asyncDispose]())
    async function openLog(source?: StoreSource, time = clock()) {
      await using opened = new AsyncDisposableStack()
      const store = opened.use(await openStore(source ?? (await stores.source())))
      const audit = opened.use(createAuditLog({ store: store.audit, clusterName: 'root', clock: time }))
      const disposables = opened.move()
      return { store, audit, [Symbol.asyncDispose]: () => disposables.disposeAsync() }
    }

    test('events are there when emit resolves, in the order in which they were emitted, and the chain holds', async () => {
      const source = await stores.source()
      {
        await using log = await openLog(source)
        await Promise.all(
          Array.from({ length: 250 }, (_, index) => log.audit.emit('T2002I', { user: `u${index}`, sid: 's', size: '80:25' })),
        )
      }
      await using log = await openLog(source)
      const { events } = await log.audit.search({ ...everything, limit: 1000 })
      expect(events.map(({ user }) => user)).toEqual(Array.from({ length: 250 }, (_, index) => `u${index}`))
      expect(events[0]).toMatchObject({ ei: 0, event: 'resize', code: 'T2002I', cluster_name: 'root', time: '2026-11-21T10:00:00.000Z' })
      await expect(log.audit.verify()).resolves.toEqual({ ok: true, events: 250 })
    })
    test('an empty log holds', async () => {
      await using log = await openLog()
      await expect(log.audit.verify()).resolves.toEqual({ ok: true, events: 0 })
      await expect(log.audit.search(everything)).resolves.toEqual({ events: [], startKey: '' })
    })
    test('several proxies share one chain', async () => {
      const source = await stores.source()
      await using one = await openLog(source)
      await using two = await openLog(source)
      const emits = (log: typeof one, user: string) => Array.from({ length: 40 }, () => log.audit.emit('T1000I', { user }))
      await Promise.all([...emits(one, 'one'), ...emits(two, 'two')])
      await expect(two.audit.verify()).resolves.toEqual({ ok: true, events: 80 })
    })
    test('text of any kind is kept as it is', async () => {
      await using log = await openLog()
      const user = 'ü\u0000\ud800"\\\u2028😀'
      await log.audit.emit('T1000W', { user, error: 'x'.repeat(20_000), nested: { a: [1, null] } })
      const { events } = await log.audit.search(everything)
      expect(events[0]).toMatchObject({ user, nested: { a: [1, null] } })
      await expect(log.audit.verify()).resolves.toMatchObject({ ok: true })
    })
    test('what cannot be stored is refused, and the log goes on when it can be again', async () => {
      await using log = await openLog()
      await log.audit.emit('T1000I', { user: 'before' })
      await log.store.audit.db.schema.alterTable('audit_head').renameTo('away').execute()
      await expect(log.audit.emit('T1000I', { user: 'during' })).rejects.toThrow('the audit log cannot be written')
      await log.store.audit.db.schema.alterTable('away').renameTo('audit_head').execute()
      await log.audit.emit('T1000I', { user: 'after' })
      const { events } = await log.audit.search(everything)
      expect(events.map(({ user }) => user)).toEqual(['before', 'after'])
      await expect(log.audit.verify()).resolves.toEqual({ ok: true, events: 2 })
    })
    test('a clock that was set back mixes nothing up', async () => {
      const time = clock()
      await using log = await openLog(undefined, time)
      for (const user of ['10:00', '09:00', '11:00']) {
        time.time = Date.parse(`2026-11-21T${user}:00Z`)
        await log.audit.emit('T1000I', { user })
      }
      const { events } = await log.audit.search(everything)
      expect(events.map(({ user }) => user)).toEqual(['09:00', '10:00', '11:00'])
      await expect(log.audit.verify()).resolves.toMatchObject({ ok: true })
    })
    test('closing writes what waits and refuses what comes later', async () => {
      const source = await stores.source()
      await using log = await openLog(source)
      const waiting = log.audit.emit('T1000I', { user: 'last' })
      await log.audit[Symbol.asyncDispose]()
      await expect(waiting).resolves.toMatchObject({ user: 'last' })
      await expect(log.audit.emit('T1000I', { user: 'late' })).rejects.toThrow('stopping')
    })
    test('a filter that few events pass still fills pages and says where to go on', async () => {
      await using log = await openLog()
      await Promise.all(
        Array.from({ length: 2500 }, (_, index) => log.audit.emit('T1000I', { user: index % 500 === 0 ? 'rare' : 'often' })),
      )
      const query: AuditQuery = { ...everything, limit: 3, accepts: ({ user }) => user === 'rare' }
      const first = await log.audit.search(query)
      const second = await log.audit.search({ ...query, startKey: first.startKey })
      expect([first.events.length, second.events.length, second.startKey]).toEqual([3, 2, ''])
    })
  })
})

test('a full disk and a locked file refuse the event; room and release let it in', async () => {
  await using stores = await (storeDialects[0] ?? expect.fail()).open()
  await using store = await openStore(await stores.source())
  const { audit: chain } = store
  if (chain.dialect !== 'sqlite') return expect.fail()
  await using audit = createAuditLog({ store: chain, clusterName: 'root', clock: clock() })
  const pages = Number(chain.connection.prepare('pragma page_count').get()?.['page_count'])
  chain.connection.exec(`pragma max_page_count = ${pages}`)
  await expect(audit.emit('T1000I', { user: 'x'.repeat(50_000) })).rejects.toMatchObject({
    code: 'internal',
    detail: 'database or disk is full',
  })
  chain.connection.exec('pragma max_page_count = 1000000; pragma busy_timeout = 0')
  const { DatabaseSync } = await import('node:sqlite')
  const other = new DatabaseSync(String(chain.connection.location()))
  other.exec('begin immediate')
  await expect(audit.emit('T1000I', { user: 'x' })).rejects.toMatchObject({ detail: 'database is locked' })
  other.close()
  await audit.emit('T1000I', { user: 'y' })
  await expect(audit.verify()).resolves.toEqual({ ok: true, events: 1 })
})
