import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cancelRequest } from '@sallyport/protocols/postgres/frontend.ts'
import { startPostgres } from '@sallyport/testkit/targets/postgres.ts'
import type { Postgres } from '@sallyport/testkit/targets/postgres.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createDatabaseAuthority } from '../../../core/authorities/database-authority.ts'
import type { DatabaseAuthority } from '../../../core/authorities/database-authority.ts'
import { createMasterKey } from '../../../core/authorities/master-key.ts'
import type { Outcome, ResultColumn } from '../console/statements.ts'
import type { ServerTrust } from '../start-tls.ts'
import { logIn } from './login.ts'
import { securePostgres } from './secure-stream.ts'
import { Statements } from './statements.ts'

const skipped = whyNoProgram('initdb')

describe.skipIf(skipped)('a PostgreSQL that trusts the database authority', () => {
  let authority: DatabaseAuthority
  let stranger: DatabaseAuthority
  let server: Postgres
  const opened = new AsyncDisposableStack()
  beforeAll(async () => {
    const directory = mkdtempSync(join(tmpdir(), 'sallyport-db-'))
    opened.defer(() => rmSync(directory, { recursive: true }))
    const place = { masterKey: createMasterKey(Buffer.alloc(32, 1)), clock: { now: () => Date.now() }, clusterName: 'root' }
    authority = createDatabaseAuthority({ ...place, directory: join(directory, 'keys') })
    stranger = createDatabaseAuthority({ ...place, directory: join(directory, 'others') })
    const { certificate, key } = await authority.issueServer(['localhost', '127.0.0.1'], 3_600_000)
    server = opened.use(await startPostgres({ tls: { certificate, key, ca: await authority.certificate() } }))
    await server.run('create role reader login; create role writer login')
  })
  afterAll(() => opened.disposeAsync())

  const dial = async (): Promise<Socket> => {
    const socket = connect(server.port, '127.0.0.1')
    await once(socket, 'connect')
    return socket
  }
  const trust = async (more: Partial<ServerTrust> = {}): Promise<ServerTrust> => ({
    ca: await authority.certificate(),
    serverName: 'localhost',
    verify: 'full',
    login: await authority.issueLogin('reader'),
    ...more,
  })
  const secure = async (more: Partial<ServerTrust> = {}) => securePostgres(await dial(), await trust(more), new AbortController().signal)
  async function statements(user = 'reader') {
    const stream = await secure({ login: await authority.issueLogin(user) })
    const { parameters, key } = await logIn(stream, { user, database: 'postgres', client_encoding: 'UTF8' })
    const notices: string[] = []
    const own = new Statements(stream, parameters, ({ message }) => void notices.push(message))
    onTestFinished(() => own.close())
    const run = async (text: string): Promise<Outcome & { columns: ResultColumn[]; rows: (string | null)[][] }> => {
      const columns: ResultColumn[] = []
      const rows: (string | null)[][] = []
      const outcome = await own.run(text, { columns: (given) => void columns.push(...given), row: (row) => void rows.push([...row]) })
      return { ...outcome, columns, rows }
    }
    return { own, run, notices, stream, key }
  }

  test('the proxy is let in as the user that its certificate names', async () => {
    const { run, own } = await statements()
    expect(await run('select current_user, 1 as one, null as nothing')).toEqual({
      columns: [
        { name: 'current_user', type: 'name' },
        { name: 'one', type: 'int4' },
        { name: 'nothing', type: 'text' },
      ],
      rows: [['reader', '1', null]],
      tag: 'SELECT 1',
      error: undefined,
      transaction: 'idle',
    })
    expect(own.serverVersion).toMatch(/^\d+/)
  })
  test('and as nobody else', async () => {
    const stream = await secure()
    await expect(logIn(stream, { user: 'writer', database: 'postgres' })).rejects.toThrow(
      'the database refuses the connection: certificate authentication failed for user "writer"',
    )
  })
  test('a database that does not exist, and a user that does not, are told by code', async () => {
    await expect(logIn(await secure(), { user: 'reader', database: 'nowhere' })).rejects.toMatchObject({ said: { code: '3D000' } })
    const nobody = await secure({ login: await authority.issueLogin('nobody') })
    await expect(logIn(nobody, { user: 'nobody', database: 'postgres' })).rejects.toMatchObject({ said: { code: '28000' } })
  })
  test('certificates of another authority open nothing, and a server with one is not believed', async () => {
    const stream = await secure({ login: await stranger.issueLogin('reader') }).catch((error: unknown) => error)
    if (stream instanceof Error) expect(stream.message).toContain('does not prove')
    else await expect(logIn(stream as never, { user: 'reader', database: 'postgres' })).rejects.toThrow()
    await expect(secure({ ca: await stranger.certificate() })).rejects.toThrow('the database does not prove that it is "localhost"')
  })
  test('the name of the server is checked, unless only its authority is to be', async () => {
    await expect(secure({ serverName: 'orders.example.com' })).rejects.toThrow('does not prove that it is "orders.example.com"')
    await secure({ serverName: 'orders.example.com', verify: 'ca' }).then((stream) => stream.destroy())
    await secure({ serverName: '127.0.0.1' }).then((stream) => stream.destroy())
  })

  test('errors tell their place, notices come along, and the connection goes on', async () => {
    const { run, notices } = await statements()
    expect(await run('select nothing_of_that_name')).toMatchObject({
      tag: undefined,
      error: { code: '42703', message: 'column "nothing_of_that_name" does not exist', position: 8 },
    })
    await run(`do $$ begin raise notice 'hear'; end $$`)
    expect(notices).toEqual(['hear'])
    expect(await run('begin')).toMatchObject({ tag: 'BEGIN', transaction: 'open' })
    expect(await run('select 1/0')).toMatchObject({ transaction: 'failed' })
    expect(await run('rollback')).toMatchObject({ tag: 'ROLLBACK', transaction: 'idle' })
    expect(await run('')).toMatchObject({ tag: '', rows: [] })
  })
  test('two statements in one are refused by the server: what is audited is what runs', async () => {
    const { run } = await statements()
    expect((await run('select 1; select 2')).error?.message).toBe('cannot insert multiple commands into a prepared statement')
  })
  test('copying from a file is refused, copying out is a column', async () => {
    const { run } = await statements('writer')
    await run('create temp table t (a int, b text)')
    expect((await run('copy t from stdin')).error?.message).toContain('there is no file to copy from in a browser')
    await run(`insert into t values (1, 'x'), (2, null)`)
    expect(await run('copy t to stdout')).toMatchObject({ rows: [['1\tx'], ['2\t\\N']], tag: 'COPY 2' })
  })
  test('whoever takes no rows is sent none: the server waits', async () => {
    const { own, stream } = await statements()
    const first = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    let count = 0
    const done = own.run(`select repeat('x', 1000) from generate_series(1, 20000)`, {
      columns: () => undefined,
      row: () => {
        count += 1
        if (count > 1) return
        first.resolve()
        return goOn.promise
      },
    })
    await first.promise
    const before = stream.bytesRead
    await new Promise((resolve) => setImmediate(resolve))
    expect(count).toBe(1)
    expect(stream.bytesRead - before).toBeLessThan(1_000_000)
    goOn.resolve()
    expect(await done).toMatchObject({ tag: 'SELECT 20000' })
    expect(count).toBe(20_000)
  })
  test('a statement is cancelled with the key of its connection', async () => {
    const { run, key } = await statements()
    const sleeping = run('select pg_sleep(60)')
    const second = await secure()
    if (!key) return expect.fail('the server gave no key')
    second.end(cancelRequest(key))
    expect((await sleeping).error).toMatchObject({ code: '57014' })
  })
  test('a connection that the server ends says why', async () => {
    const { run, own } = await statements()
    const [[pid] = []] = (await run('select pg_backend_pid()')).rows
    await server.run(`select pg_terminate_backend(${pid})`)
    expect(await own.ended).toBe('The database closed the connection: terminating connection due to administrator command.')
    await expect(run('select 1')).rejects.toThrow()
  })
})
