/** A real MariaDB behind the proxy: opened from the browser, tested, reached by clients of its own, audited. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { uint } from '@sallyport/protocols/mysql/fields.ts'
import { can, canExtended } from '@sallyport/protocols/mysql/handshake.ts'
import { packet } from '@sallyport/protocols/mysql/packets.ts'
import { test as testConnection } from '@sallyport/wire/calls/diagnostics.ts'
import { databases } from '@sallyport/wire/calls/databases.ts'
import { put as putLock, remove as removeLock } from '@sallyport/wire/calls/locks.ts'
import { activeSessions, endSession } from '@sallyport/wire/calls/sessions.ts'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { MysqlClient } from './mysql-client.ts'
import { createMysqlWorld } from './mysql-world.ts'
import type { MysqlWorld } from './mysql-world.ts'
import { finished } from './native-client.ts'
import { SqlClient } from './sql-client.ts'
import { allowDatabases } from './targets/database.ts'
import type { Mariadb } from './targets/mariadb.ts'
import { requireProgram, whyNoProgram } from './targets/programs.ts'
import type { World } from './world.ts'

describe.skipIf(whyNoProgram('mariadbd') ?? whyNoProgram('mariadb') ?? whyNoProgram('ssh'))('MySQL', () => {
  let at: MysqlWorld
  let world: World
  let server: Mariadb
  let alice: ApiClient
  let bob: ApiClient
  beforeAll(async () => {
    at = await createMysqlWorld()
    ;({ world, server, alice } = at)
    bob = await world.signIn('bob')
  })
  afterAll(() => at[Symbol.asyncDispose]())

  const params = () => ({ clusterId: world.cluster })
  const events = (...codes: string[]) => at.events(...codes)
  const running = (statement: string) => at.running(statement)
  const audited = async (sid: string) => (await events()).filter((event) => event['sid'] === sid)

  describe('in the browser', () => {
    const open = (as = bob, login: { user?: string; name?: string } = {}) =>
      SqlClient.open(as, { cluster: world.cluster, database: 'shop', user: 'reader', name: 'shop', ...login })

    test('statements run as the chosen account, their rows come as they are, and the audit log has them in order', async () => {
      const sql = await open()
      const { sid, server: title } = await sql.next('open')
      expect(title).toMatch(/^MariaDB \d+\.\d+/)
      const [statement, columns, rows, done, ready] = await sql.run(
        `select substring_index(user(), '@', 1) as who, null as nothing, 'ä' as text;`,
      )
      expect(statement).toMatchObject({ type: 'statement', index: 0, count: 1 })
      expect(columns).toEqual({
        type: 'columns',
        columns: [
          { name: 'who', type: 'varchar' },
          { name: 'nothing', type: 'null' },
          { name: 'text', type: 'varchar' },
        ],
      })
      expect(rows).toEqual({ type: 'rows', rows: [['reader', null, 'ä']] })
      expect(done).toMatchObject({ type: 'done', tag: '1 row' })
      expect(ready).toEqual({ type: 'ready', run: 1, transaction: 'idle' })
      const text = `select 'ä';\n select 1 frm x; select 2`
      expect((await sql.run(text)).map(({ type }) => type)).toEqual([
        'statement',
        'columns',
        'rows',
        'done',
        'statement',
        'failed',
        'ready',
      ])
      expect((await sql.next('failed')).problem).toMatchObject({ code: '1064 (42000)', at: text.indexOf('x;') })
      await sql[Symbol.asyncDispose]()
      await expect
        .poll(async () => (await audited(sid)).map(({ code }) => code))
        .toEqual(['TDB00I', 'TDB02I', 'TDB02I', 'TDB02I', 'TDB02W', 'TDB01I'])
      expect(await audited(sid)).toMatchObject([
        { event: 'db.session.start', user: 'bob', db_service: 'shop', db_protocol: 'mysql', db_name: 'shop', db_user: 'reader' },
        { event: 'db.session.query', db_query: `select substring_index(user(), '@', 1) as who, null as nothing, 'ä' as text` },
        { db_query: `select 'ä'` },
        { db_query: 'select 1 frm x' },
        { event: 'db.session.query.failed', db_query: 'select 1 frm x', success: false },
        { event: 'db.session.end', user: 'bob', db_service: 'shop' },
      ])
    })
    test('several results of one statement are told one after the other', async () => {
      await server.run(
        'delimiter //\ncreate procedure shop.twice() begin select 1 as one; select 2 as two; end //\ndelimiter ;\ngrant execute on shop.* to reader',
      )
      await using sql = await open()
      const events = await sql.run('call twice(); select 3')
      expect(events.map(({ type }) => type)).toEqual([
        ...['statement', 'columns', 'rows', 'done'],
        ...['statement', 'columns', 'rows', 'done'],
        ...['statement', 'columns', 'rows', 'done', 'ready'],
      ])
      expect(events.flatMap((event) => (event.type === 'rows' ? event.rows : []))).toEqual([['1'], ['2'], ['3']])
    })
    test('no more rows come than were asked for, and what runs is stopped when it is cancelled', async () => {
      await using sql = await open()
      sql.send({ type: 'run', run: 1, text: 'select seq from seq_1_to_100000; select sleep(600) from seq_1_to_2', rows: 10 })
      await sql.next('paused')
      const rows = () => sql.events.flatMap((event) => (event.type === 'rows' ? event.rows : []))
      expect(rows()).toHaveLength(10)
      const from = sql.events.length
      sql.send({ type: 'more', rows: 10_000 })
      await sql.next('paused', from)
      sql.send({ type: 'cancel' })
      await sql.next('ready')
      expect(rows()).toHaveLength(10_010)
      const second = sql.events.length
      sql.send({ type: 'run', run: 2, text: 'select sleep(600) from seq_1_to_2', rows: 10 })
      await expect.poll(() => running('select sleep(600)')).toBe(1)
      sql.send({ type: 'cancel' })
      expect((await sql.next('failed', second)).problem).toMatchObject({ code: '1317 (70100)' })
      expect((await sql.run('select 7')).at(2)).toEqual({ type: 'rows', rows: [['7']] })
    })
    test('an account, or a name, that no role allows is refused and audited', async () => {
      for (const login of [{ user: 'writer' }, { name: 'payroll' }]) {
        await using sql = await SqlClient.connect(bob, { cluster: world.cluster, database: 'shop', user: 'reader', name: 'shop', ...login })
        const { text } = await sql.next('end')
        expect(text).toContain('access to db denied. User does not have permissions.')
        expect((await events('TDB00W')).at(-1)).toMatchObject({ user: 'bob', success: false, error: text })
      }
    })
    test('a lock ends a session and what it runs', async () => {
      const sql = await open()
      const { sid } = await sql.next('open')
      const { sessions } = await bob.call(activeSessions, { params: params() })
      expect(sessions.filter(({ id }) => id === sid)).toMatchObject([{ kind: 'db', database_name: 'shop', login: 'reader' }])
      sql.send({ type: 'run', run: 1, text: 'select sleep(602) from seq_1_to_2', rows: 1 })
      await expect.poll(() => running('select sleep(602)')).toBe(1)
      const lock = await alice.call(putLock, { params: params(), body: { targets: { user: 'bob' }, message: 'enough', ttl: '1h' } })
      expect(await sql.next('end')).toMatchObject({ text: expect.stringContaining('enough') as string })
      await alice.call(removeLock, { params: { ...params(), uuid: lock.name } })
      bob = await world.signIn('bob')
      await expect.poll(() => running('select sleep(602)')).toBe(0)
    })
    test('a database is tested step by step', async () => {
      const passes = ['RBAC_DATABASE', 'CONNECTIVITY', 'RBAC_DATABASE_LOGIN', 'DATABASE_DB_USER', 'DATABASE_DB_NAME']
      const run = async (login: object) => {
        const body = { resource_kind: 'db', resource_name: 'shop', database_user: 'writer', database_name: 'shop', ...login }
        const { traces } = await alice.call(testConnection, { params: params(), body })
        return (traces ?? []).map(({ traceType, status }) => `${traceType} ${status}`)
      }
      const upTo = (failed: string) => [...passes.slice(0, passes.indexOf(failed)).map((step) => `${step} SUCCESS`), `${failed} FAILED`]
      expect(await run({})).toEqual(passes.map((step) => `${step} SUCCESS`))
      expect(await run({ database_name: 'payroll' })).toEqual(upTo('RBAC_DATABASE_LOGIN'))
      await allowDatabases(alice, 'alice', { users: ['writer', 'ghost'], names: ['shop', 'nowhere'] })
      expect(await run({ database_user: 'ghost' })).toEqual(upTo('DATABASE_DB_USER'))
      expect(await run({ database_name: 'nowhere' })).toEqual(upTo('DATABASE_DB_NAME'))
      await allowDatabases(alice, 'alice', { users: ['writer'], names: ['shop'] })
    })
    test('the list says that it opens', async () => {
      const { items } = await bob.call(databases, { params: params(), query: {} })
      expect(items).toMatchObject([{ name: 'shop', protocol: 'mysql', supports_interactive: true, database_users: ['reader'] }])
    })
  })

  describe('native clients', () => {
    const mariadb = (args: readonly string[], { user = 'writer', socket = at.socket } = {}) =>
      spawn(requireProgram('mariadb'), [
        '--no-defaults',
        '--socket',
        socket,
        '--protocol=SOCKET',
        '--user',
        user,
        '--batch',
        '--skip-column-names',
        ...args,
      ])
    const run = async (args: readonly string[], input = '', login = {}) => {
      const { code, out, err } = await finished(mariadb(args, login), input)
      return { code, out: out.toString(), err }
    }
    const connected = async (name?: string, more = {}) => {
      const own = await MysqlClient.open(at.socket, { user: 'writer', ...(name !== undefined && { database: name }), ...more })
      onTestFinished(() => void own.socket.destroy())
      return own
    }

    test('its own client runs statements, without a password; what passes is unchanged', async () => {
      expect(await run(['shop', '-e', `select substring_index(user(), '@', 1), 6 * 7`])).toEqual({ code: 0, out: 'writer\t42\n', err: '' })
      const script = `create table t (a int, b text);\ninsert into t values (1, 'one'), (2, null);\nselect * from t order by a;\nselect nonsense;\n`
      expect(await run(['shop'], script)).toMatchObject({
        code: 1,
        out: '1\tone\n2\tNULL\n',
        err: expect.stringContaining(`Unknown column 'nonsense'`) as string,
      })
      expect((await run(['shop', '-e', `select repeat('x', 1000) from seq_1_to_20000`])).out).toHaveLength(20_000 * 1001)
      const long = 'y'.repeat(3_000_000)
      expect((await run(['shop'], `select length('${long}');\n`)).out).toBe('3000000\n')
      expect(await events('TDB02I')).toContainEqual(
        expect.objectContaining({
          user: 'alice',
          db_user: 'writer',
          db_name: 'shop',
          db_service: 'shop',
          db_query: `select substring_index(user(), '@', 1), 6 * 7`,
        }),
      )
      await expect.poll(async () => (await events('TDB01I')).length).toBe((await events('TDB00I')).length)
    })
    test('R8-065: every command of the protocol is in the audit log, with its fields', async () => {
      const own = await connected('shop')
      await own.query('create table if not exists v (a text); delete from v')
      await own.query('create table if not exists v (a text)')
      const id = await own.prepare('select concat(?, 1) as a from seq_1_to_3')
      expect((await own.execute(id, 'ab')).parts).toEqual(['count', 'column', 'columns-end', 'row', 'row', 'row', 'end'])
      own.say(0x18, uint(id, 4), uint(0, 2), 'long')
      expect((await own.execute(id, '')).error).toBeUndefined()
      expect((await own.ask('results', 0x17, uint(id, 4), 1, uint(1, 4), 0, 1, uint(0xfd, 2), 2, 'cd')).parts).toEqual([
        'count',
        'column',
        'columns-end',
      ])
      expect((await own.ask('fetched', 0x1c, uint(id, 4), uint(2, 4))).parts).toEqual(['row', 'row', 'end'])
      await own.ask('one', 0x1a, uint(id, 4))
      own.say(0x19, uint(id, 4))
      expect((await own.ask('one', 2, 'shop')).error).toBeUndefined()
      for (const [code, rest] of [
        [5, 'made'],
        [6, 'made'],
        [7, Buffer.from([4 + 16])],
        [0x0c, uint(1, 4)],
        [0x0d, ''],
        [8, ''],
        [0x0e, ''],
        [9, ''],
      ] as const)
        await own.ask('one', code, rest)
      const bulk = await connected('shop', { extended: canExtended.bulk, capabilities: own.greeting.capabilities & ~can.attributes })
      const inserted = await bulk.prepare('insert into v values (?)')
      expect((await bulk.ask('results', 0xfa, uint(inserted, 4), uint(128, 2), uint(0xfd, 2), 0, 1, 'a', 0, 1, 'b')).error).toBeUndefined()
      expect(await server.run('select count(*) from shop.v')).toBe('2\n')

      const of = async (code: string) => (await events(code)).map(({ code: _code, ...event }) => event)
      const common = { user: 'alice', db_service: 'shop', db_protocol: 'mysql', db_user: 'writer', db_name: 'shop' }
      const prefix = 'db.session.mysql'
      expect(await of('TMY00I')).toContainEqual(
        expect.objectContaining({ ...common, event: `${prefix}.statements.prepare`, query: 'select concat(?, 1) as a from seq_1_to_3' }),
      )
      expect(await of('TMY01I')).toMatchObject([
        { ...common, event: `${prefix}.statements.execute`, statement_id: id, parameters: ['ab'] },
        { statement_id: id, parameters: [''] },
        { statement_id: id, parameters: ['cd'] },
      ])
      expect(await of('TMY02I')).toMatchObject([
        { ...common, event: `${prefix}.statements.send_long_data`, statement_id: id, parameter_id: 0, data_size: 4 },
      ])
      expect(await of('TMY03I')).toMatchObject([{ ...common, event: `${prefix}.statements.close`, statement_id: id }])
      expect(await of('TMY04I')).toMatchObject([{ ...common, event: `${prefix}.statements.reset`, statement_id: id }])
      expect(await of('TMY05I')).toMatchObject([{ ...common, event: `${prefix}.statements.fetch`, statement_id: id, rows_count: 2 }])
      expect(await of('TMY06I')).toMatchObject([{ ...common, event: `${prefix}.statements.bulk_execute`, statement_id: inserted }])
      expect(await of('TMY07I')).toMatchObject([{ ...common, event: `${prefix}.init_db`, schema_name: 'shop' }])
      expect(await of('TMY08I')).toMatchObject([{ ...common, event: `${prefix}.create_db`, schema_name: 'made' }])
      expect(await of('TMY09I')).toMatchObject([{ ...common, event: `${prefix}.drop_db`, schema_name: 'made' }])
      expect(await of('TMY10I')).toMatchObject([{ ...common, event: `${prefix}.shut_down` }])
      expect(await of('TMY11I')).toMatchObject([{ ...common, event: `${prefix}.process_kill`, process_id: 1 }])
      expect(await of('TMY12I')).toMatchObject([{ ...common, event: `${prefix}.debug` }])
      expect(await of('TMY13I')).toMatchObject([{ ...common, event: `${prefix}.refresh`, subcommand: 'REFRESH_TABLES, REFRESH_STATUS' }])
      expect(await of('TDB02I')).toContainEqual(
        expect.objectContaining({ ...common, event: 'db.session.query', db_query: 'create table if not exists v (a text)' }),
      )
    })
    test('commands that are sent together are answered in their order, each told of with the statement that it means', async () => {
      const own = await connected('shop')
      const last = uint(0xff_ff_ff_ff, 4)
      const prepare = packet(0, 0x16, 'select ? as joined')
      const execute = packet(0, 0x17, last, 0, uint(1, 4), 0, 1, uint(0xfd, 2), 2, 'xy')
      own.socket.write(Buffer.concat([prepare, execute, packet(0, 3, 'select 5')]))
      expect((await own.answer('prepared')).error).toBeUndefined()
      expect((await own.answer('results')).parts).toContain('row')
      expect((await own.answer('results')).parts).toContain('row')
      expect((await events('TMY01I')).at(-1)).toMatchObject({ parameters: ['xy'] })
    })
    test('what roles do not allow is refused in the client’s own words of an error, and audited', async () => {
      const refused = await run(['shop', '-e', 'select 1'], '', { user: 'reader' })
      expect(refused).toMatchObject({ code: 1, out: '' })
      expect(refused.err).toContain('ERROR 1045 (28000): access to db denied. User does not have permissions.')
      expect(await events('TDB00W')).toContainEqual(expect.objectContaining({ user: 'alice', db_user: 'reader' }))
      expect((await run(['payroll', '-e', 'select 1'])).err).toContain('access to db denied.')
      const switched = await run([], 'use shop;\nselect 1;\nuse payroll;\n')
      expect(switched).toMatchObject({ code: 1, out: '1\n', err: expect.stringContaining('ERROR 1044 (42000)') as string })
      expect((await events('TMY07I')).at(-1)).toMatchObject({ schema_name: 'payroll', success: false })
    })
    test('a database that is not there is told as such', async () => {
      expect((await run(['-e', 'select 1'], '', { socket: await at.forwarded('nothing', 3306) })).err).toContain(
        'database "nothing" not found',
      )
    })
    test('an interrupted client stops its statement, by the number that it was told', async () => {
      const sleeping = mariadb(['shop', '--sigint-ignore', '-e', 'select sleep(603) from seq_1_to_2'])
      const ended = finished(sleeping)
      await expect.poll(() => running('select sleep(603)')).toBe(1)
      sleeping.kill('SIGKILL')
      await ended
      await expect.poll(() => running('select sleep(603)')).toBe(0)
      const [first, second] = [await connected('shop'), await connected('shop')]
      const stopped = first.query('select sleep(604) from seq_1_to_2')
      await expect.poll(() => running('select sleep(604)')).toBe(1)
      expect((await second.query(`KILL QUERY ${first.greeting.id}`)).parts).toEqual(['ok'])
      expect((await stopped).error).toMatchObject({ errno: 1317 })
      expect((await second.query(`KILL ${first.greeting.id}`)).parts).toEqual(['ok'])
      expect((await first.answer('one')).error).toMatchObject({
        message: expect.stringContaining('another connection of yours') as string,
      })
      expect((await second.query('KILL QUERY 4000000000')).error).toMatchObject({ errno: 1094 })
    })
    test('an administrator ends a session, and the client hears why', async () => {
      const listed = async () =>
        (await alice.call(activeSessions, { params: params() })).sessions.filter(({ kind }) => kind === 'db').map(({ id }) => id)
      // Those of the tests before end with their clients.
      await expect.poll(listed).toEqual([])
      const own = await connected('shop')
      const [sid = ''] = await listed()
      await alice.call(endSession, { params: { ...params(), sid } })
      expect((await own.answer('one')).error).toMatchObject({ message: 'The session is closed: alice ended the session.' })
    })
    test('a change of the user, replication and local files are refused, and the connection goes on', async () => {
      const own = await connected('shop')
      expect((await own.ask('one', 0x11, 'reader\0', 0, '\0')).error).toMatchObject({
        message: 'a change of the user does not go through here',
      })
      expect((await own.ask('one', 0x12, Buffer.alloc(10))).error).toMatchObject({ message: 'replication does not go through here' })
      expect((await own.query('create temporary table f (a text)')).error).toBeUndefined()
      expect((await own.query(`load data local infile '/etc/hostname' into table f`)).error).toBeDefined()
      expect((await own.query('select 1')).parts).toContain('row')
      const offered = own.greeting.capabilities
      for (const bit of [can.localFiles, can.tls, 1 << 5, 1 << 24, 1 << 26]) expect(offered & bit).toBe(0)
    })
    test('packets out of order, or that are none, end the session and are audited', async () => {
      const before = (await events('TDB06I')).length
      const own = await connected('shop')
      own.socket.write(packet(7, 3, 'select 1'))
      expect((await own.answer('one')).error).toMatchObject({ errno: 1835, message: 'a packet has the number 7 where 0 has to come' })
      const other = await connected('shop')
      other.say()
      expect((await other.answer('one')).error).toMatchObject({ errno: 1835 })
      await expect.poll(async () => (await events('TDB06I')).length).toBe(before + 2)
      const unready = await MysqlClient.greeted(at.socket)
      onTestFinished(() => void unready.socket.destroy())
      unready.socket.write(packet(1, uint(can.protocol41, 4)))
      expect((await unready.answer('one', 2)).error).toMatchObject({ message: 'a message ends before its last field' })
    })
    test('sallyport db ls tells what it is, db connect runs its own client, proxy db serves any', async () => {
      const home = join(at.client.folder, 'home')
      const sallyport = (args: readonly string[]) =>
        spawn(process.execPath, [join(import.meta.dirname, '../../cli/src/main.ts'), ...args], {
          cwd: at.client.folder,
          env: { ...process.env, SALLYPORT_HOME: home },
        })
      const { password, authenticator } = world.person('alice')
      const login = sallyport(['login', '--proxy', world.url, '--user', 'alice'])
      expect(await finished(login, `${password}\n${await authenticator.code()}\n`)).toMatchObject({ code: 0 })
      const listed = await finished(sallyport(['db', 'ls']))
      expect(listed.out.toString().split('\n')[1]).toBe('shop      Self-hosted MySQL/MariaDB  writer  shop')
      const connected = await finished(
        sallyport(['db', 'connect', 'shop', '--db-user', 'writer', '--db-name', 'shop']),
        'select database();\n',
      )
      expect(connected).toMatchObject({ code: 0 })
      expect(connected.out.toString()).toContain('shop\n')
      expect((await finished(sallyport(['db', 'connect', 'nothing', '--db-user', 'writer']))).err).toContain(
        'There is no database "nothing" for you.',
      )

      const proxy = sallyport(['proxy', 'db', 'shop', '--db-user', 'writer', '--db-name', 'shop'])
      let said = ''
      while (!said.includes('Ctrl-C')) said += String((await once(proxy.stdout, 'data'))[0])
      const [, example = ''] = /^ {2}mariadb (.+)$/m.exec(said) ?? []
      // The program listens a moment after it has said where.
      const ask = () => finished(spawn(requireProgram('mariadb'), ['--no-defaults', '-N', ...example.split(' '), '-e', 'select 42']))
      await expect.poll(async () => (await ask()).out.toString()).toBe('42\n')
      const over = once(proxy, 'close')
      proxy.kill()
      await over
    })
    test('a client that knows the later way of proving itself is let in as well', async () => {
      const own = await connected('shop', { plugin: 'caching_sha2_password', proof: Buffer.alloc(32, 1) })
      expect((await own.query('select 1')).parts).toContain('row')
    })
  })
})
