/** A proxy that is killed while statements go through it: nothing that a database did is missing in the audit log. */
import { once } from 'node:events'
import { join } from 'node:path'
import { verifyChain } from '@sallyport/proxy/core/audit/verify.ts'
import { openAuthorities } from '@sallyport/proxy/core/authorities/authorities.ts'
import { openStore } from '@sallyport/proxy/store/db.ts'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { NativeClient } from './native-client.ts'
import { startProxyProcess } from './proxy-process.ts'
import { addPostgres, allowDatabases } from './targets/database.ts'
import { whyNoProgram } from './targets/programs.ts'

const rounds = 2
const clients = 6
/** Answers of one round before the kill. */
const enough = 100

test.skipIf(whyNoProgram('initdb') ?? whyNoProgram('ssh'))(
  'each statement that ran, seen by its client or not, is in a log that holds',
  async () => {
    await using stack = new AsyncDisposableStack()
    const proxy = stack.use(await startProxyProcess())
    const { alice, cluster, dataDir, origin } = proxy
    const server = stack.use(await addPostgres({ url: origin, cluster }, alice))
    await allowDatabases(alice, 'alice', { users: ['writer'], names: ['orders'] })
    const authorities = await openAuthorities(join(dataDir, 'keys'), Date)
    const { hostname: host, port } = new URL(origin)
    const native = stack.use(await NativeClient.create({ proxy: { authorities, address: { host, port } } as never, cluster }))
    const direct = new pg.Client({ connectionString: server.url.replace('/postgres?', '/orders?') })
    await direct.connect()
    stack.defer(() => direct.end())
    await direct.query('create table done (what text); grant all on done to writer')

    const answered: string[] = []
    /** Until the proxy is gone: statements as text and prepared ones, each doing what no other does. */
    const work = async (client: pg.Client, name: string): Promise<void> => {
      for (let index = 0; ; index += 1) {
        const what = `${name}.${index}`
        const isPrepared = index % 2 === 1
        const statement = isPrepared
          ? { name: 'add', text: 'insert into done values ($1)', values: [what] }
          : { text: `insert into done values ('${what}')` }
        const over = await client.query(statement).then(
          () => false,
          () => true,
        )
        if (over) return
        answered.push(what)
        if (answered.length % enough === 0) await proxy.kill()
      }
    }
    for (let round = 0; round < rounds; round += 1) {
      if (round > 0) await proxy.startAgain()
      const socket = join(native.folder, `.s.PGSQL.${5432 + round}`)
      const forward = native.start('ssh', ['-N', '-L', `${socket}:orders.db:5432`, `${cluster}-proxy`])
      const gone = once(forward, 'close')
      const connect = async (): Promise<pg.Client> => {
        const client = new pg.Client({ host: native.folder, port: 5432 + round, user: 'writer', database: 'orders' })
        client.on('error', () => undefined) // the statement that waits is told
        await client.connect()
        return client
      }
      // The way is there when the first has come through.
      const first = await vi.waitFor(connect, { timeout: 30_000 })
      const others = await Promise.all(Array.from({ length: clients - 1 }, connect))
      await Promise.all([first, ...others].map((client, index) => work(client, `${round}.${index}`)))
      await gone
    }

    await using store = await openStore({ kind: 'sqlite', file: join(dataDir, 'store.db') })
    const { rows } = await direct.query<{ what: string }>('select what from done')
    const events = await store.audit.db.selectFrom('audit_events').select(['code', 'doc']).execute()
    const logged = new Set(
      events.flatMap(({ code, doc }) => {
        if (code === 'TDB02I') return /\('(.+)'\)/.exec(doc)?.[1] ?? []
        return code === 'TPG01I' ? z.object({ parameters: z.array(z.string()) }).parse(JSON.parse(doc)).parameters : []
      }),
    )
    const ran = rows.map(({ what }) => what)
    expect(answered.length).toBeGreaterThanOrEqual(rounds * enough)
    expect(answered.filter((what) => !ran.includes(what))).toEqual([])
    expect(ran.filter((what) => !logged.has(what))).toEqual([])
    expect(await verifyChain(store.audit.db)).toEqual({ ok: true, events: events.length })
  },
  120_000,
)
