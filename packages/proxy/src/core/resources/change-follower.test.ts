/** Two proxies on one PostgreSQL, as far as their stores and caches go. */
import { startPostgres } from '@sallyport/testkit/targets/postgres.ts'
import type { Postgres } from '@sallyport/testkit/targets/postgres.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openStore } from '../../store/db.ts'
import type { Store } from '../../store/db.ts'
import { createChangeFeed } from './change-feed.ts'
import type { Change, ChangeFeed } from './change-feed.ts'
import { followChanges } from './change-follower.ts'
import { createLog } from '../log.ts'
import { createResourceStore } from './resources.ts'
import { userKind } from '../users.ts'
import type { UserStore } from '../users.ts'

const clock = { now: () => Date.now() }
const log = createLog('silent')

interface Side extends AsyncDisposable {
  store: Store
  feed: ChangeFeed
  users: UserStore
  /** Resolves with the first change that fits, of those that come from now on. */
  next(accepts: (change: Change) => boolean): Promise<Change>
}

async function openSide(url: string): Promise<Side> {
  await using opened = new AsyncDisposableStack()
  const store = opened.use(await openStore({ kind: 'postgres', url }))
  const feed = createChangeFeed()
  opened.use(await followChanges({ store, feed, log }))
  const users = createResourceStore(userKind, { db: store.db, feed, clock })
  const disposables = opened.move()
  return {
    store,
    feed,
    users,
    next: (accepts) =>
      new Promise((resolve) => {
        const waiting = feed.subscribe((change) => {
          if (!accepts(change)) return
          waiting[Symbol.dispose]()
          resolve(change)
        })
      }),
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  }
}

describe.skipIf(whyNoProgram('initdb'))('on PostgreSQL', () => {
  let postgres: Postgres
  let here: Side
  let there: Side
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres[Symbol.asyncDispose]())
  beforeEach(async () => {
    const url = await postgres.createDatabase()
    here = await openSide(url)
    there = await openSide(url)
  })
  afterEach(async () => {
    await here[Symbol.asyncDispose]()
    await there[Symbol.asyncDispose]()
  })
  const named = (name: string) => (change: Change) => change.name === name

  test('what one proxy writes the other one hears, and reads afresh', async () => {
    await there.users.list()
    const created = there.next(named('bob'))
    await here.users.create({ metadata: { name: 'bob' }, spec: { roles: ['access'] } })
    expect(await created).toEqual({ kind: 'user', name: 'bob', operation: 'put' })
    expect((await there.users.require('bob')).spec.roles).toEqual(['access'])
    const changed = there.next(named('bob'))
    await here.users.update({ metadata: { name: 'bob' }, spec: { roles: [] } })
    await changed
    expect((await there.users.require('bob')).spec.roles).toEqual([])
    const deleted = there.next(named('bob'))
    await here.users.delete('bob')
    expect(await deleted).toMatchObject({ operation: 'delete' })
    expect(await there.users.get('bob')).toBeUndefined()
  })

  test('a transaction that is rolled back tells nothing', async () => {
    const heard: string[] = []
    there.feed.subscribe(({ name }) => heard.push(name))
    const row = { kind: 'user', revision: 'r', document: '{}', expires: null }
    await here.store.db
      .transaction()
      .execute(async (transaction) => {
        await transaction
          .insertInto('resources')
          .values({ ...row, name: 'half' })
          .execute()
        throw new Error('no')
      })
      .catch(() => undefined)
    const after = there.next(named('whole'))
    await here.store.db
      .insertInto('resources')
      .values({ ...row, name: 'whole' })
      .execute()
    await after
    expect(heard).toEqual(['whole'])
  })

  test('a sign-in that ends at one proxy is told to the other', async () => {
    const row = {
      hash: 'h',
      user: 'bob',
      login_id: 'l',
      login_time: 0,
      login_ip: '',
      user_agent: '',
      mfa_device: null,
      assumed: '[]',
      expires: 1,
    }
    await here.store.db.insertInto('web_sessions').values(row).execute()
    const ended = there.next(({ kind }) => kind === 'web_login')
    await here.store.db.deleteFrom('web_sessions').execute()
    expect(await ended).toEqual({ kind: 'web_login', name: 'l', operation: 'delete' })
  })

  test('what happens while the connection is gone is told when it is back: new, changed and removed', async () => {
    for (const name of ['stays', 'changes', 'goes']) {
      const created = there.next(named(name))
      await here.users.create({ metadata: { name }, spec: { roles: [] } })
      await created
    }
    const heard = new Map<string, string>()
    const all = there.next((change) => {
      heard.set(change.name, change.operation)
      return ['comes', 'changes', 'goes'].every((name) => heard.has(name))
    })
    await here.store.db.transaction().execute(async (transaction) => {
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where pid <> pg_backend_pid() and (query ilike 'listen %' or query = 'select 1')`.execute(transaction)
      // Triggers are off: nothing of this is told by notice, as if nobody had listened.
      await sql`set local session_replication_role = replica`.execute(transaction)
      const row = { kind: 'user', document: '{"version":"v2","metadata":{"name":"x"},"spec":{"roles":["access"]}}', expires: null }
      await transaction
        .insertInto('resources')
        .values({ ...row, name: 'comes', revision: 'new' })
        .execute()
      await transaction.updateTable('resources').set({ document: row.document, revision: 'newer' }).where('name', '=', 'changes').execute()
      await transaction.deleteFrom('resources').where('name', '=', 'goes').execute()
    })
    await all
    expect(Object.fromEntries(heard)).toMatchObject({ comes: 'put', changes: 'put', goes: 'delete' })
    expect((await there.users.require('changes')).spec.roles).toEqual(['access'])
  })
})

test('a store that nobody shares is not followed', async () => {
  await using store = await openStore({ kind: 'sqlite', file: ':memory:' })
  await using _following = await followChanges({ store, feed: createChangeFeed(), log })
  expect(store.listen).toBeUndefined()
})
