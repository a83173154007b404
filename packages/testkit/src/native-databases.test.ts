/** PostgreSQL's own clients through the proxy, over OpenSSH's. */
import { spawn } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { frame, FrameReader } from '@sallyport/protocols/postgres/frames.ts'
import { startup, sync } from '@sallyport/protocols/postgres/frontend.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { activeSessions, endSession } from '@sallyport/wire/calls/sessions.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { finished, NativeClient } from './native-client.ts'
import { addPostgres, allowDatabases } from './targets/database.ts'
import type { Postgres } from './targets/postgres.ts'
import { requireProgram, whyNoProgram } from './targets/programs.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

describe.skipIf(whyNoProgram('initdb') ?? whyNoProgram('psql') ?? whyNoProgram('ssh'))('native clients of databases', () => {
  let world: World
  let alice: ApiClient
  let client: NativeClient
  let server: Postgres
  const opened = new AsyncDisposableStack()
  beforeAll(async () => {
    world = opened.use(await createWorld({ people: ['alice'] }))
    alice = await world.signIn('alice')
    server = opened.use(await addPostgres(world, alice))
    await allowDatabases(alice, 'alice', { users: ['writer'], names: ['orders'] })
    client = opened.use(await NativeClient.create(world))
    const socket = join(client.folder, '.s.PGSQL.5432')
    const forward = await client.forward(socket, 'orders.db:5432', `${world.cluster}-proxy`)
    opened.defer(() => void forward.kill())
  })
  afterAll(() => opened.disposeAsync())

  const psql = (args: readonly string[], { user = 'writer', name = 'orders' } = {}) =>
    spawn(requireProgram('psql'), ['-X', '-A', '-t', '-h', client.folder, '-U', user, name, ...args], { stdio: 'pipe' })
  const run = async (args: readonly string[], input = '', login = {}) => {
    const { code, out, err } = await finished(psql(args, login), input)
    return { code, out: out.toString(), err }
  }
  const events = async (...codes: string[]) => {
    const { events } = await alice.call(searchEvents, { params: { clusterId: world.cluster }, query: { limit: 1000 } })
    return events.filter(({ code }) => codes.includes(code ?? '')).toReversed()
  }

  test('R8-064: psql runs statements, a driver prepared ones, each in the audit log', async () => {
    expect(await run(['-c', 'select current_user, 6 * 7'])).toEqual({ code: 0, out: 'writer|42\n', err: '' })
    expect(
      await run([], 'create table t (a int, b text);\n\\copy t from stdin\n1\tone\n2\ttwo\n\\.\nselect * from t order by a;\n'),
    ).toMatchObject({
      code: 0,
      out: expect.stringContaining('1|one\n2|two\n') as string,
    })
    const driver = new pg.Client({ host: client.folder, user: 'writer', database: 'orders' })
    await driver.connect()
    expect((await driver.query({ name: 'joined', text: 'select $1 || $2 as both', values: ['a', 'b'] })).rows).toEqual([{ both: 'ab' }])
    await driver.end()
    expect(await events('TDB02I')).toContainEqual(
      expect.objectContaining({
        user: 'alice',
        db_user: 'writer',
        db_name: 'orders',
        db_service: 'orders',
        db_query: 'select current_user, 6 * 7',
      }),
    )
    expect(await events('TPG00I')).toContainEqual(
      expect.objectContaining({
        event: 'db.session.postgres.statements.parse',
        statement_name: 'joined',
        query: 'select $1 || $2 as both',
      }),
    )
    expect(await events('TPG01I')).toContainEqual(expect.objectContaining({ statement_name: 'joined', parameters: ['a', 'b'] }))
    expect((await events('TPG02I')).length).toBeGreaterThan(0)
    await expect.poll(async () => (await events('TDB01I')).length).toBe((await events('TDB00I')).length)
  })
  test('R8-064: what clients seldom say is in the audit log as well: statements closed, functions called, and what is no message', async () => {
    const socket = connect(join(client.folder, '.s.PGSQL.5432'))
    const ended = once(socket, 'close')
    const reader = new FrameReader(1 << 20)
    const types: string[] = []
    socket.on('data', (bytes: Buffer) => void types.push(...reader.push(bytes).map(({ type }) => type)))
    const ready = (count: number) => expect.poll(() => types.filter((type) => type === 'Z').length).toBe(count)
    socket.write(startup({ user: 'writer', database: 'orders' }))
    await ready(1)
    socket.write(Buffer.concat([frame('C', 'Sjoined\0'), sync()]))
    await ready(2)
    // int4abs, one value, all as text: no formats, one value of two bytes, text in the answer.
    socket.write(frame('F', Buffer.from([0, 0, 0x05, 0x75, 0, 0, 0, 1, 0, 0, 0, 2]), '-7', Buffer.from([0, 0])))
    await ready(3)
    expect(types).toContain('V')
    // No message is shorter than its own length.
    socket.write(Buffer.from([0x51, 0, 0, 0, 1]))
    await ended
    expect(await events('TPG03I')).toContainEqual(
      expect.objectContaining({ event: 'db.session.postgres.statements.close', statement_name: 'joined', portal_name: '' }),
    )
    expect(await events('TPG04I')).toMatchObject([{ event: 'db.session.postgres.function', function_oid: 1397, function_args: ['-7'] }])
    await expect
      .poll(() => events('TDB06I'))
      .toMatchObject([{ event: 'db.session.malformed_packet', user: 'alice', db_name: 'orders', db_service: 'orders' }])
  })
  test('much comes and goes, unchanged', async () => {
    const { out } = await run(['-c', `select repeat('x', 1000) from generate_series(1, 20000)`])
    expect(out).toHaveLength(20_000 * 1001)
    const lines = Array.from({ length: 50_000 }, (_, index) => `${index}\t${'y'.repeat(100)}`).join('\n')
    const copied = await run(
      [],
      `create temp table many (a int, b text);\n\\copy many from stdin\n${lines}\n\\.\nselect count(*), sum(length(b)) from many;\n`,
    )
    expect(copied.out).toContain('50000|5000000\n')
  })
  test('what roles do not allow is refused in psql’s own words of an error, and audited', async () => {
    const refused = await run(['-c', 'select 1'], '', { user: 'reader' })
    expect(refused).toMatchObject({ code: 2, out: '' })
    expect(refused.err).toContain('FATAL:  access to db denied. User does not have permissions.')
    expect(await events('TDB00W')).toContainEqual(expect.objectContaining({ user: 'alice', db_user: 'reader' }))
    expect((await run(['-c', 'select 1'], '', { name: 'postgres' })).err).toContain('FATAL:  access to db denied.')
  })
  test('control-C in psql cancels the statement', async () => {
    const sleeping = psql(['-c', 'select pg_sleep(600)'])
    const ended = finished(sleeping)
    // It is in the audit log before it begins, when there is nothing to cancel yet.
    const direct = new pg.Client({ connectionString: server.url })
    await direct.connect()
    const running = `select from pg_stat_activity where state = 'active' and query = 'select pg_sleep(600)'`
    await expect.poll(async () => (await direct.query(running)).rowCount).toBe(1)
    await direct.end()
    expect((await events('TDB02I')).some((event) => event['db_query'] === 'select pg_sleep(600)')).toBe(true)
    sleeping.kill('SIGINT')
    expect((await ended).err).toContain('canceling statement due to user request')
  })
  test('an administrator ends a session, and the client hears why', async () => {
    const sleeping = psql(['-c', 'select pg_sleep(601)'])
    const ended = finished(sleeping)
    await expect.poll(async () => (await events('TDB02I')).some((event) => event['db_query'] === 'select pg_sleep(601)')).toBe(true)
    const listed = async () =>
      (await alice.call(activeSessions, { params: { clusterId: world.cluster } })).sessions.filter(({ kind }) => kind === 'db')
    // Those of the tests before end with their clients.
    await expect.poll(listed).toHaveLength(1)
    const [session] = await listed()
    await alice.call(endSession, { params: { clusterId: world.cluster, sid: session?.id ?? '' } })
    expect((await ended).err).toContain('The session is closed: alice ended the session.')
  })
  test('sallyport db connect runs psql, sallyport proxy db serves any client, and auth sign makes what a server needs', async () => {
    const home = join(client.folder, 'home')
    const sallyport = (args: readonly string[]) =>
      spawn(process.execPath, [join(import.meta.dirname, '../../cli/src/main.ts'), ...args], {
        cwd: client.folder,
        env: { ...process.env, SALLYPORT_HOME: home },
      })
    const { password, authenticator } = world.person('alice')
    const login = sallyport(['login', '--proxy', world.url, '--user', 'alice'])
    expect(await finished(login, `${password}\n${await authenticator.code()}\n`)).toMatchObject({ code: 0 })
    const as = ['--db-user', 'writer', '--db-name', 'orders']
    const connected = await finished(sallyport(['db', 'connect', 'orders', ...as]), 'select current_user;\n')
    expect(connected).toMatchObject({ code: 0 })
    expect(connected.out.toString()).toContain(' writer\n')

    const proxy = sallyport(['proxy', 'db', 'orders', ...as])
    let said = ''
    while (!said.includes('Ctrl-C')) said += String((await once(proxy.stdout, 'data'))[0])
    const [, address = ''] = /psql "(.+)"/.exec(said) ?? []
    // The program listens a moment after it has said where.
    await expect
      .poll(async () => (await finished(spawn(requireProgram('psql'), ['-X', '-A', '-t', address, '-c', 'select 42']))).out.toString())
      .toBe('42\n')
    const over = once(proxy, 'close')
    proxy.kill()
    await over

    const signed = await finished(sallyport(['auth', 'sign', '--format', 'db', '--host', 'pg.example.com', '--data-dir', world.dataDir]))
    expect(signed).toMatchObject({ code: 0 })
    const certificate = new X509Certificate(await readFile(join(client.folder, 'server.crt')))
    expect(certificate.checkHost('pg.example.com')).toBe('pg.example.com')
    expect(certificate.verify(new X509Certificate(await readFile(join(client.folder, 'server.cas'))).publicKey)).toBe(true)
  })
  test('replication is refused', async () => {
    const replica = await finished(
      spawn(
        requireProgram('psql'),
        ['-X', `host=${client.folder} user=writer dbname=orders replication=database`, '-c', 'IDENTIFY_SYSTEM'],
        { stdio: 'pipe' },
      ),
    )
    expect(replica.err).toContain('FATAL:  replication does not go through here')
    expect((await run(['-c', 'select 1'])).out).toBe('1\n')
  })
})
