/** A world with a MariaDB, people who may open it, and a machine of alice's from which it is reached. */
import { join } from 'node:path'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { NativeClient } from './native-client.ts'
import { addMariadb, allowDatabases } from './targets/database.ts'
import { createWorld } from './world.ts'

export type MysqlWorld = Awaited<ReturnType<typeof createMysqlWorld>>

/** Alice may be writer, bob reader, both in the schema `shop`. */
export async function createMysqlWorld() {
  await using starting = new AsyncDisposableStack()
  const world = starting.use(await createWorld({ people: ['alice', 'bob'] }))
  const alice = await world.signIn('alice')
  const server = starting.use(await addMariadb(world, alice))
  await allowDatabases(alice, 'alice', { users: ['writer'], names: ['shop'] })
  await allowDatabases(alice, 'bob', { users: ['reader'], names: ['shop'] })
  const client = starting.use(await NativeClient.create(world))
  const forwards = starting.use(new DisposableStack())

  /** A socket of this machine behind which a database is. */
  async function forwarded(name: string, port: number): Promise<string> {
    const path = join(client.folder, `${name}-${port}`)
    const forward = await client.forward(path, `${name}.db:${port}`, `${world.cluster}-proxy`)
    forwards.defer(() => void forward.kill())
    return path
  }
  const socket = await forwarded('shop', 3306)
  const opened = starting.move()
  return {
    world,
    server,
    alice,
    client,
    /** Behind which `shop` is. */
    socket,
    forwarded,
    /** In the order in which they came. */
    async events(...codes: string[]) {
      const { events } = await alice.call(searchEvents, { params: { clusterId: world.cluster }, query: { limit: 1000 } })
      return events.filter(({ code }) => codes.length === 0 || codes.includes(code ?? '')).toReversed()
    },
    /** How many connections run a statement that begins so. */
    running: async (statement: string): Promise<number> =>
      Number(await server.run(`select count(*) from information_schema.processlist where info like '${statement}%' and user <> 'root'`)),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
