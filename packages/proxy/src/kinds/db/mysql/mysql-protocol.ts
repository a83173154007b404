/** MySQL and MariaDB, as sessions open them: the proxy proves itself by the certificate that the account asks for. */
import type { Duplex } from 'node:stream'
import { readError } from '@sallyport/protocols/mysql/answers.ts'
import { queryCommand, quitCommand } from '@sallyport/protocols/mysql/commands.ts'
import {
  can,
  cachingSha2,
  canExtended,
  clientStart,
  emptyProof,
  nativePassword,
  readGreeting,
  readSwitch,
  tlsRequest,
  understood,
} from '@sallyport/protocols/mysql/handshake.ts'
import type { ClientStart, Greeting } from '@sallyport/protocols/mysql/handshake.ts'
import { connectionProblem } from '../../../core/errors.ts'
import type { DatabaseProtocol, ServerLogin } from '../database-protocol.ts'
import { ServerRefusal } from '../server-refusal.ts'
import { secureStream, startTls } from '../start-tls.ts'
import { PacketSource } from './read-packet.ts'

export interface MysqlWishes {
  /** Of what is understood; what answers have to have to be read is added. */
  capabilities?: number
  extended?: number
  charset?: number
  attributes?: Buffer
}

export interface MysqlLoggedIn {
  /** Number of the connection. */
  key: number
  greeting: Greeting
}

/** Without what no command of ours, and of no client, can be read. */
const needed = can.protocol41 | can.secureConnection | can.pluginAuth | can.transactions
const utf8mb4 = 45
const alreadyProved = Buffer.from([1, 3])

/** What a server and whoever speaks to it can agree upon. */
export const agreedUpon = ({ capabilities, extended }: Greeting) => ({
  capabilities: (capabilities & understood) >>> 0,
  extended: (extended & canExtended.bulk) >>> 0,
})

export const mysqlProtocol: DatabaseProtocol<MysqlWishes, MysqlLoggedIn, number> = {
  noWishes: {},
  userHint: (user) =>
    `Check that the account "${user}" exists in the database, has no password, and lets the proxy in by its certificate: REQUIRE SUBJECT '/CN=${user}'.`,
  secure: (stream, trust, { user, name, wishes }, signal) =>
    secureStream(stream, signal, async () => {
      const greeting = await greet(stream)
      if ((greeting.capabilities & can.tls) === 0)
        throw connectionProblem('the database takes no connections with TLS; set ssl_cert, ssl_key and ssl_ca in its configuration')
      const start = startOf(greeting, { user, name }, wishes)
      stream.write(tlsRequest(start))
      const secured = await startTls(stream, trust)
      return { stream: secured, logIn: () => logIn(secured, greeting, start) }
    }),
  async stop({ stream, logIn }, key, isOver) {
    await logIn()
    const source = new PacketSource(stream, 1)
    stream.write(queryCommand(`KILL ${isOver ? 'CONNECTION' : 'QUERY'} ${key}`))
    await source.read()
    stream.end(quitCommand(), () => stream.destroy())
  },
}

/** What a server says to whoever comes. */
export async function greet(stream: Duplex): Promise<Greeting> {
  const source = new PacketSource(stream, 0)
  const { body } = await source.read()
  if (body[0] === 0xff) throw refusal(body)
  // More than that was put there by somebody between.
  if (source.held > 0) throw connectionProblem('the database says more than it was asked before TLS began')
  return readGreeting(body)
}

const plainClient = can.multiResults | can.preparedMultiResults | can.longFlag

function startOf(
  greeting: Greeting,
  { user, name }: ServerLogin,
  { capabilities = plainClient, extended = 0, charset = utf8mb4, attributes = Buffer.alloc(0) }: MysqlWishes,
): ClientStart {
  const agreed = agreedUpon(greeting)
  const optional = (attributes.length > 0 ? can.attributes : 0) | (name === undefined ? 0 : can.connectWithDatabase)
  const own = (capabilities & ~(can.connectWithDatabase | can.attributes)) | needed | can.countedAuth | optional
  return {
    capabilities: ((own & agreed.capabilities) | can.tls) >>> 0,
    extended: extended & agreed.extended,
    charset,
    user,
    database: name,
    plugin: emptyProof(greeting.plugin) ? greeting.plugin : nativePassword,
    proof: Buffer.alloc(0),
    attributes,
  }
}

async function logIn(stream: Duplex, greeting: Greeting, start: ClientStart): Promise<MysqlLoggedIn> {
  const { user } = start
  stream.write(clientStart(2, start))
  const source = new PacketSource(stream, 3)
  for (;;) {
    const { sequence, body } = await source.read()
    switch (body[0]) {
      case 0x00:
        return { key: greeting.id, greeting }
      case 0xff:
        throw refusal(body)
      case 0xfe: {
        const asked = readSwitch(body)
        const proof = emptyProof(asked ?? '')
        if (!proof) throw otherWay(user, asked ?? 'mysql_old_password')
        stream.write(Buffer.concat([Buffer.from([proof.length, 0, 0, (sequence + 1) & 0xff]), proof]))
        source.skip(sequence + 2)
        break
      }
      default:
        if (!body.equals(alreadyProved)) throw otherWay(user, cachingSha2)
    }
  }
}

/** No secret is ever sent: there is none, and no way of proving oneself that asks for one is gone along with. */
const otherWay = (user: string, plugin: string) =>
  connectionProblem(
    `the database asks for a password of "${user}" (${plugin}); let the proxy in by its certificate: an account without a password, with REQUIRE SUBJECT '/CN=${user}'`,
  )

const refusedUser = [1045, 1698, 1130, 1862, 3118, 4151]
const refusedName = [1044, 1049]

function refusal(body: Buffer): ServerRefusal {
  const { errno, sqlState, message } = readError(body)
  const about = refusedUser.includes(errno) ? 'user' : refusedName.includes(errno) ? 'name' : undefined
  return new ServerRefusal({ code: `${errno} (${sqlState})`, message }, about)
}
