/** A real PostgreSQL behind the proxy: registered, opened from the browser, tested, audited. */
import { read as readDiagnostic, test as testConnection } from '@sallyport/wire/calls/diagnostics.ts'
import { databases, updateDatabase } from '@sallyport/wire/calls/databases.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { put as putLock, remove as removeLock } from '@sallyport/wire/calls/locks.ts'
import { devices as listDevices, mfaRequired } from '@sallyport/wire/calls/mfa.ts'
import { create as createRole } from '@sallyport/wire/calls/roles.ts'
import { activeSessions, endSession } from '@sallyport/wire/calls/sessions.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { withKey } from './key-holder.ts'
import { SqlClient } from './sql-client.ts'
import { addPostgres, allowDatabases } from './targets/database.ts'
import type { Postgres } from './targets/postgres.ts'
import { whyNoProgram } from './targets/programs.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

describe.skipIf(whyNoProgram('initdb'))('databases', () => {
  let world: World
  let server: Postgres
  let alice: ApiClient
  let bob: ApiClient
  const opened = new AsyncDisposableStack()
  beforeAll(async () => {
    world = opened.use(await createWorld({ people: ['alice', 'bob'] }))
    alice = await world.signIn('alice')
    server = opened.use(await addPostgres(world, alice))
    await allowDatabases(alice, 'alice', { users: ['writer'], names: ['*'] })
    await allowDatabases(alice, 'bob', { users: ['reader'], names: ['orders'] })
    bob = await world.signIn('bob')
  })
  afterAll(() => opened.disposeAsync())

  const params = () => ({ clusterId: world.cluster })
  const open = (client = bob, login: { user?: string; name?: string } = {}) =>
    SqlClient.open(client, { cluster: world.cluster, database: 'orders', user: 'reader', name: 'orders', ...login })
  const audited = async (sid: string) => {
    const { events } = await alice.call(searchEvents, { params: params(), query: { limit: 1000 } })
    return events.filter((event) => event['sid'] === sid).toReversed()
  }

  test('a statement runs as the chosen user, its rows come as they are, and the audit log has it in order', async () => {
    const sql = await open()
    const { sid } = await sql.next('open')
    const [statement, columns, rows, done, ready] = await sql.run(`select current_user::text as who, null as nothing, 'ä' as text;`)
    expect(statement).toMatchObject({ type: 'statement', index: 0, count: 1 })
    expect(columns).toEqual({
      type: 'columns',
      columns: [
        { name: 'who', type: 'text' },
        { name: 'nothing', type: 'text' },
        { name: 'text', type: 'text' },
      ],
    })
    expect(rows).toEqual({ type: 'rows', rows: [['reader', null, 'ä']] })
    expect(done).toMatchObject({ type: 'done', tag: 'SELECT 1' })
    expect(ready).toEqual({ type: 'ready', run: 1, transaction: 'idle' })
    await sql[Symbol.asyncDispose]()
    await expect.poll(async () => (await audited(sid)).map(({ code }) => code)).toEqual(['TDB00I', 'TDB02I', 'TDB01I'])
    expect(await audited(sid)).toMatchObject([
      {
        event: 'db.session.start',
        user: 'bob',
        server_id: '',
        db_service: 'orders',
        db_protocol: 'postgres',
        db_uri: `127.0.0.1:${server.port}`,
        db_name: 'orders',
        db_user: 'reader',
        db_labels: { env: 'test' },
      },
      {
        event: 'db.session.query',
        user: 'bob',
        db_query: `select current_user::text as who, null as nothing, 'ä' as text`,
        db_query_parameters: [],
      },
      { event: 'db.session.end', user: 'bob', db_service: 'orders' },
    ])
  })

  test('of several statements those before the mistake ran; it is told with its place and is in the audit log', async () => {
    await using sql = await open()
    const text = `select 'ä';\n select 1 frm x; select 2`
    const events = await sql.run(text)
    expect(events.map(({ type }) => type)).toEqual(['statement', 'columns', 'rows', 'done', 'statement', 'failed', 'ready'])
    const failed = await sql.next('failed')
    expect(failed.problem).toMatchObject({ code: '42601', message: 'syntax error at or near "x"', at: text.indexOf('x;') })
    const { sid } = await sql.next('open')
    await expect
      .poll(async () => (await audited(sid)).filter(({ code }) => code === 'TDB02W'))
      .toMatchObject([
        { event: 'db.session.query.failed', db_query: 'select 1 frm x', success: false, error: 'syntax error at or near "x"' },
      ])
  })

  test('no more rows come than were asked for; the rest follows, or is given up', async () => {
    await using sql = await open()
    sql.send({ type: 'run', run: 1, text: 'select * from generate_series(1, 100000)', rows: 10 })
    await sql.next('paused')
    const rows = () => sql.events.flatMap((event) => (event.type === 'rows' ? event.rows : []))
    expect(rows()).toHaveLength(10)
    const from = sql.events.length
    sql.send({ type: 'more', rows: 5 })
    await sql.next('paused', from)
    expect(rows().at(-1)).toEqual(['15'])
    sql.send({ type: 'cancel' })
    await sql.next('ready')
    expect(rows()).toHaveLength(15)
    expect((await sql.run('select 7')).at(2)).toEqual({ type: 'rows', rows: [['7']] })
  })

  test('what runs is stopped when it is cancelled, and nothing after it begins', async () => {
    await using sql = await open()
    sql.send({ type: 'run', run: 1, text: 'select pg_sleep(600); select 1', rows: 10 })
    await sql.next('statement')
    await expect.poll(() => running('pg_sleep')).toBe(1)
    sql.send({ type: 'cancel' })
    expect((await sql.next('failed')).problem).toMatchObject({ code: '57014', message: 'canceling statement due to user request' })
    await sql.next('ready')
    expect(sql.events.filter(({ type }) => type === 'statement')).toHaveLength(1)
    await expect.poll(() => running('pg_sleep')).toBe(0)
  })
  /** How many connections of others run a statement that begins so. */
  const running = async (what: string): Promise<number> => {
    await using sql = await open(alice, { user: 'writer', name: 'postgres' })
    await server.run('grant pg_read_all_stats to writer')
    const text = `select count(*) from pg_stat_activity where state = 'active' and query like 'select ${what}%' and pid <> pg_backend_pid()`
    const [, , rows] = await sql.run(text)
    return rows?.type === 'rows' ? Number(rows.rows[0]?.[0]) : -1
  }

  test('a user, or a name, that no role allows is refused before the database hears of it; the refusal is audited', async () => {
    for (const login of [{ user: 'writer' }, { name: 'postgres' }]) {
      await using sql = await SqlClient.connect(bob, {
        cluster: world.cluster,
        database: 'orders',
        user: 'reader',
        name: 'orders',
        ...login,
      })
      const { text } = await sql.next('end')
      expect(text).toContain('access to db denied. User does not have permissions.')
      const { events } = await alice.call(searchEvents, { params: params(), query: { limit: 1, include: 'db.session.start' } })
      expect(events).toMatchObject([{ code: 'TDB00W', user: 'bob', success: false, error: text, db_user: login.user ?? 'reader' }])
    }
  })
  test('one that is not there, or not to be seen, is not found', async () => {
    const address = { cluster: world.cluster, user: 'reader', name: 'orders' }
    await expect(SqlClient.connect(bob, { ...address, database: 'nothing' })).rejects.toThrow('404')
  })

  test('R8-044: a session is listed among the active ones, and its owner, an administrator or a lock ends it; the audit log has why', async () => {
    const mine = async (client: ApiClient, sid: string) =>
      (await client.call(activeSessions, { params: params() })).sessions.filter(({ id }) => id === sid)
    const first = await open()
    const { sid } = await first.next('open')
    expect(await mine(bob, sid)).toMatchObject([{ kind: 'db', database_name: 'orders', login: 'reader', mayEnd: true }])
    await alice.call(endSession, { params: { ...params(), sid } })
    expect(await first.next('end')).toEqual({ type: 'end', text: 'The session is closed: alice ended the session.' })
    expect(await mine(alice, sid)).toEqual([])
    await expect.poll(async () => (await audited(sid)).map(({ code }) => code)).toEqual(['TDB00I', 'T3006I', 'TDB01I'])
    expect((await audited(sid))[1]).toMatchObject({
      event: 'client.disconnect',
      user: 'bob',
      user_kind: 1,
      db_service: 'orders',
      reason: 'alice ended the session',
    })
    const second = await open()
    const { sid: locked } = await second.next('open')
    second.send({ type: 'run', run: 1, text: 'select pg_sleep(600)', rows: 1 })
    await second.next('statement')
    const lock = await alice.call(putLock, { params: params(), body: { targets: { user: 'bob' }, message: 'enough', ttl: '1h' } })
    expect(await second.next('end')).toMatchObject({ text: expect.stringContaining('enough') as string })
    await expect.poll(async () => (await audited(locked)).at(-1)?.code).toBe('TDB01I')
    expect((await audited(locked)).filter(({ code }) => code === 'T3006I')).toMatchObject([
      { user: 'bob', reason: 'lock targeting User:"bob" is in force: enough' },
    ])
    await expect(open()).rejects.toThrow()
    await alice.call(removeLock, { params: { ...params(), uuid: lock.name } })
    bob = await world.signIn('bob')
    await expect.poll(() => running('pg_sleep')).toBe(0)
  })

  test('where a role asks for a key with every session, none opens before one has confirmed it', async () => {
    const spec = {
      options: { require_session_mfa: true },
      allow: { db_labels: { '*': '*' }, db_users: ['reader'], db_names: ['orders'] },
    }
    await alice.call(createRole, {
      body: { content: JSON.stringify({ kind: 'role', version: 'v6', metadata: { name: 'careful' }, spec }) },
    })
    const { client, key } = await withKey(world, 'kay', ['careful'])
    const body = { database: { service_name: 'orders', protocol: 'postgres', username: 'reader', database_name: 'orders' } }
    expect(await client.call(mfaRequired, { params: params(), body })).toEqual({ required: true })
    const address = { cluster: world.cluster, database: 'orders', user: 'reader', name: 'orders' }
    await using sql = await SqlClient.connect(client, address)
    const { webauthn_challenge } = await sql.next('challenge')
    const { publicKey } = webauthn_challenge as { publicKey: Parameters<typeof key.get>[0] }
    sql.send({ type: 'proof', assertion: key.get(publicKey, { origin: world.url }) })
    const { sid } = await sql.next('open')
    const [device] = await client.call(listDevices)
    expect(await audited(sid)).toMatchObject([{ code: 'TDB00I', user: 'kay', with_mfa: device?.id ?? 'none' }])
    await using refused = await SqlClient.connect(client, address)
    await refused.next('challenge')
    refused.send({ type: 'cancel' })
    expect((await refused.next('end')).text).toContain('access to db denied: the session was not confirmed')
  })

  describe('connection tests', () => {
    const passes = ['RBAC_DATABASE', 'CONNECTIVITY', 'RBAC_DATABASE_LOGIN', 'DATABASE_DB_USER', 'DATABASE_DB_NAME']
    const run = async (login: { database_user?: string; database_name?: string; resource_name?: string }, client = alice) =>
      client.call(testConnection, {
        params: params(),
        body: { resource_kind: 'db', resource_name: 'orders', database_user: 'writer', database_name: 'orders', ...login },
      })
    const traces = (outcome: Awaited<ReturnType<typeof run>>) =>
      (outcome.traces ?? []).map(({ traceType, status }) => `${traceType} ${status}`)
    const upTo = (failed: string) => [...passes.slice(0, passes.indexOf(failed)).map((step) => `${step} SUCCESS`), `${failed} FAILED`]

    test('R7-054: a database is tested step by step, and the outcome can be read again', async () => {
      const outcome = await run({})
      expect(outcome).toMatchObject({ success: true, message: 'success' })
      expect(traces(outcome)).toEqual(passes.map((step) => `${step} SUCCESS`))
      expect(await alice.call(readDiagnostic, { params: { ...params(), id: outcome.id } })).toEqual(outcome)
      // The end of a session keeps nobody waiting.
      await expect.poll(async () => (await audited(outcome.id)).map(({ code }) => code)).toEqual(['TDB00I', 'TDB01I'])
    })
    test('R7-060: a user that the database does not know fails at DATABASE_DB_USER', async () => {
      await allowDatabases(alice, 'alice', { users: ['writer', 'ghost'], names: ['*'] })
      const outcome = await run({ database_user: 'ghost' })
      expect(traces(outcome)).toEqual(upTo('DATABASE_DB_USER'))
      expect(outcome.traces?.at(-1)?.error).toContain('"ghost"')
    })
    test('R7-059: a name that the database does not have fails at DATABASE_DB_NAME', async () => {
      const outcome = await run({ database_name: 'nowhere' })
      expect(traces(outcome)).toEqual(upTo('DATABASE_DB_NAME'))
      expect(outcome.traces?.at(-1)?.error).toBe('database "nowhere" does not exist')
    })
    test('a login that no role allows fails at RBAC_DATABASE_LOGIN, a database that is not there at RBAC_DATABASE', async () => {
      expect(traces(await run({ database_user: 'postgres' }))).toEqual(upTo('RBAC_DATABASE_LOGIN'))
      expect(traces(await run({ resource_name: 'nothing' }))).toEqual(['RBAC_DATABASE FAILED'])
    })
    test('a server that does not answer, or is not who it should be, fails at CONNECTIVITY', async () => {
      const there = { clusterId: world.cluster, database: 'orders' }
      await alice.call(updateDatabase, { params: there, body: { uri: `localhost:${server.port}` } })
      const mistaken = await run({})
      expect(traces(mistaken)).toEqual(upTo('CONNECTIVITY'))
      expect(mistaken.traces?.at(-1)?.error).toContain('does not prove that it is "localhost"')
      await alice.call(updateDatabase, { params: there, body: { uri: `127.0.0.1:${server.port}` } })
      expect(traces(await run({}))).toEqual(passes.map((step) => `${step} SUCCESS`))
    })
  })

  test('what the list says of a database is what may be chosen on it', async () => {
    const { items } = await bob.call(databases, { params: params(), query: {} })
    expect(items).toEqual([
      {
        name: 'orders',
        desc: '',
        protocol: 'postgres',
        type: 'self-hosted',
        labels: [{ name: 'env', value: 'test' }],
        hostname: '127.0.0.1',
        uri: `127.0.0.1:${server.port}`,
        database_users: ['reader'],
        database_names: ['orders'],
        supports_interactive: true,
      },
    ])
  })
})
