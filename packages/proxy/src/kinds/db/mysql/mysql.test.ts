import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startMariadb } from '@sallyport/testkit/targets/mariadb.ts'
import type { Mariadb } from '@sallyport/testkit/targets/mariadb.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createDatabaseAuthority } from '../../../core/authorities/database-authority.ts'
import type { DatabaseAuthority } from '../../../core/authorities/database-authority.ts'
import { createMasterKey } from '../../../core/authorities/master-key.ts'
import type { Outcome, ResultColumn } from '../console/statements.ts'
import type { ServerTrust } from '../start-tls.ts'
import { mysqlProtocol } from './mysql-protocol.ts'
import { MysqlStatements } from './mysql-statements.ts'

describe.skipIf(whyNoProgram('mariadbd'))('a MariaDB whose accounts ask for certificates of the database authority', () => {
  let authority: DatabaseAuthority
  let stranger: DatabaseAuthority
  let server: Mariadb
  const opened = new AsyncDisposableStack()
  beforeAll(async () => {
    const directory = mkdtempSync(join(tmpdir(), 'sallyport-db-'))
    opened.defer(() => rmSync(directory, { recursive: true }))
    const place = { masterKey: createMasterKey(Buffer.alloc(32, 1)), clock: { now: () => Date.now() }, clusterName: 'root' }
    authority = createDatabaseAuthority({ ...place, directory: join(directory, 'keys') })
    stranger = createDatabaseAuthority({ ...place, directory: join(directory, 'others') })
    const { certificate, key } = await authority.issueServer(['localhost', '127.0.0.1'], 3_600_000)
    server = opened.use(await startMariadb({ certificate, key, ca: await authority.certificate() }))
    await server.run(`
      create database shop; create database payroll;
      create user reader require subject '/CN=reader'; create user writer require subject '/CN=writer';
      create user locked identified by 'a password' require subject '/CN=locked';
      grant all on shop.* to writer; grant select on shop.* to reader;
      delimiter //
      create procedure shop.twice() begin select 1 as one; select 2 as two union select 3; end //
      delimiter ;
      grant execute on shop.* to reader`)
  })
  afterAll(() => opened.disposeAsync())

  const dial = async (): Promise<Socket> => {
    const socket = connect(server.port, '127.0.0.1')
    await once(socket, 'connect')
    return socket
  }
  /** By a certificate of that account, unless another one is given. */
  const secure = async (user: string, name: string | undefined = 'shop', more: Partial<ServerTrust> = {}) => {
    const trust = {
      ca: await authority.certificate(),
      serverName: 'localhost',
      verify: 'full',
      login: await authority.issueLogin(user),
    } as const
    const start = { user, name, wishes: {} }
    const secured = await mysqlProtocol.secure(await dial(), { ...trust, ...more }, start, new AbortController().signal)
    secured.stream.on('error', () => undefined) // a close follows
    onTestFinished(() => void secured.stream.destroy())
    return secured
  }
  const logIn = async (user: string, name?: string) => {
    const secured = await secure(user, name)
    return { ...secured, loggedIn: await secured.logIn() }
  }
  async function statements(user = 'reader') {
    const { stream, loggedIn } = await logIn(user)
    const notices: string[] = []
    const own = new MysqlStatements(stream, ({ message }) => void notices.push(message))
    const run = async (
      text: string,
    ): Promise<Outcome & { results: { columns: ResultColumn[]; rows: (string | null)[][]; tag?: string }[] }> => {
      const results: { columns: ResultColumn[]; rows: (string | null)[][]; tag?: string }[] = [{ columns: [], rows: [] }]
      const outcome = await own.run(text, {
        columns: (given) => void results.at(-1)?.columns.push(...given),
        row: (row) => void results.at(-1)?.rows.push([...row]),
        next(tag) {
          Object.assign(results.at(-1) ?? {}, { tag })
          results.push({ columns: [], rows: [] })
        },
      })
      return { ...outcome, results }
    }
    return { own, run, notices, stream, id: loggedIn.key }
  }

  test('the proxy is let in as the account that its certificate names', async () => {
    const { run } = await statements()
    expect(
      await run(`select substring_index(current_user(), '@', 1) as who, 1 as one, null as nothing, 'ä' as text, x'00ff' as bytes`),
    ).toEqual({
      results: [
        {
          columns: [
            { name: 'who', type: 'varchar' },
            { name: 'one', type: 'int' },
            { name: 'nothing', type: 'null' },
            { name: 'text', type: 'varchar' },
            { name: 'bytes', type: 'varbinary' },
          ],
          rows: [['reader', '1', null, 'ä', '0x00ff']],
        },
      ],
      tag: '1 row',
      error: undefined,
      transaction: 'idle',
    })
  })
  test('and as nobody else', async () => {
    const { logIn } = await secure('writer', 'shop', { login: await authority.issueLogin('reader') })
    await expect(logIn()).rejects.toMatchObject({ about: 'user', said: { code: '1045 (28000)' } })
  })
  test('a schema that does not exist or is not for this account, and an account with a password, are told', async () => {
    await expect(logIn('writer', 'nowhere')).rejects.toMatchObject({ about: 'name' })
    await expect(logIn('reader', 'payroll')).rejects.toMatchObject({ about: 'name', said: { code: '1044 (42000)' } })
    await expect(logIn('locked')).rejects.toMatchObject({ about: 'user' })
  })
  test('certificates of another authority open nothing, and a server with one is not believed', async () => {
    const login = await stranger.issueLogin('reader')
    await expect(secure('reader', 'shop', { login }).then((secured) => secured.logIn())).rejects.toThrow()
    await expect(secure('reader', 'shop', { ca: await stranger.certificate() })).rejects.toThrow(
      'the database does not prove that it is "localhost"',
    )
    await expect(secure('reader', 'shop', { serverName: 'shop.example.com' })).rejects.toThrow(
      'does not prove that it is "shop.example.com"',
    )
  })
  test('types of a table are those that it was made with', async () => {
    const { run } = await statements('writer')
    await run(
      `create temporary table t (a int unsigned, b decimal(6,2), c text, d blob, e datetime, f enum('x', 'y'), g json, h bit(4), i double)`,
    )
    await run(`insert into t values (7, 1.5, 'long', x'01', '2026-01-02 03:04:05', 'y', '{"k": 1}', b'101', 0.5)`)
    const { results } = await run('select * from t')
    expect(results[0]?.columns.map(({ type }) => type)).toEqual([
      'int unsigned',
      'decimal',
      'text',
      'blob',
      'datetime',
      'enum',
      expect.any(String),
      'bit',
      'double',
    ])
    expect(results[0]?.rows).toEqual([['7', '1.50', 'long', '0x01', '2026-01-02 03:04:05', 'y', '{"k": 1}', '0x05', '0.5']])
  })
  test('errors tell their place, remarks come along, and the connection goes on', async () => {
    const { run, notices } = await statements('writer')
    expect(await run('select 1 frm x')).toMatchObject({ tag: undefined, error: { code: '1064 (42000)', position: 14 } })
    expect(await run('select 1,\n nothing_of_that_name')).toMatchObject({ error: { code: '1054 (42S22)', position: 12 } })
    expect(await run('create temporary table w (a tinyint) ')).toMatchObject({ tag: 'OK' })
    await run(`set sql_mode = ''`)
    expect(await run('insert into w values (1000), (2)')).toMatchObject({
      tag: 'OK, 2 rows affected (Records: 2  Duplicates: 0  Warnings: 1)',
    })
    expect(notices).toEqual([`Out of range value for column 'a' at row 1`])
    expect(await run('start transaction')).toMatchObject({ transaction: 'open' })
    expect(await run('select nonsense')).toMatchObject({ transaction: 'open' })
    expect(await run('rollback')).toMatchObject({ tag: 'OK', transaction: 'idle' })
  })
  test('two statements in one are refused by the server: what is audited is what runs', async () => {
    const { run } = await statements()
    expect((await run('select 1; select 2')).error?.code).toBe('1064 (42000)')
  })
  test('a procedure gives several results, each with its rows', async () => {
    const { run } = await statements()
    const called = await run('call twice()')
    expect(called.error).toBeUndefined()
    expect(called).toMatchObject({
      results: [
        { columns: [{ name: 'one' }], rows: [['1']], tag: '1 row' },
        { columns: [{ name: 'two' }], rows: [['2'], ['3']] },
      ],
      tag: '2 rows',
    })
  })
  test('a file of the client is given to nobody', async () => {
    const { run } = await statements('writer')
    await run('create temporary table f (a text)')
    expect((await run(`load data local infile '/etc/hostname' into table f`)).error).toMatchObject({
      code: expect.stringMatching(/^(1148|4166|3948) /),
    })
  })
  test('whoever takes no rows is sent none: the server waits', async () => {
    const { own, stream } = await statements()
    const first = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    let count = 0
    const done = own.run(`select repeat('x', 1000) from seq_1_to_20000`, {
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
    expect(await done).toMatchObject({ tag: '20000 rows' })
    expect(count).toBe(20_000)
  })
  test('a value of more than one packet comes whole', async () => {
    const { run } = await statements('writer')
    await server.run('set global max_allowed_packet = 67108864')
    const { run: wide } = await statements('writer')
    const { results } = await wide(`select repeat('y', 17000000) as y, 'end' as z`)
    expect(results[0]?.rows[0]?.[0]).toHaveLength(17_000_000)
    expect(results[0]?.rows[0]?.[1]).toBe('end')
    expect(await run('select 1')).toMatchObject({ tag: '1 row' })
  })
  test('a statement is stopped by its connection’s number, on a connection of its own', async () => {
    const { run, id } = await statements()
    const sleeping = run('select sleep(60) from seq_1_to_2')
    await expect
      .poll(() => server.run(`select count(*) from information_schema.processlist where id = ${id} and state = 'User sleep'`))
      .toBe('1\n')
    await mysqlProtocol.stop(await secure('reader'), id, false)
    expect((await sleeping).error).toMatchObject({ code: '1317 (70100)' })
    expect(await run('select 1')).toMatchObject({ tag: '1 row' })
  })
  test('a connection that the server ends says why', async () => {
    const { run, own, id } = await statements()
    await server.run(`kill connection ${id}`)
    expect(await own.ended).toMatch(/^The (database closed the connection|connection to the database broke)/)
    await expect(run('select 1')).rejects.toThrow()
  })
})
