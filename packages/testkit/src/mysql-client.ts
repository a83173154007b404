/** A MySQL client that says exactly what a test tells it to. */
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { AnswerReader, readError } from '@sallyport/protocols/mysql/answers.ts'
import type { AnswerKind, Part, ServerError } from '@sallyport/protocols/mysql/answers.ts'
import { uint } from '@sallyport/protocols/mysql/fields.ts'
import { can, clientStart, readGreeting, readSwitch } from '@sallyport/protocols/mysql/handshake.ts'
import type { ClientStart, Greeting } from '@sallyport/protocols/mysql/handshake.ts'
import { packet, PacketReader } from '@sallyport/protocols/mysql/packets.ts'
import type { Packet } from '@sallyport/protocols/mysql/packets.ts'

/** What a server said in answer, packet by packet. */
export interface Answer {
  parts: Part[]
  packets: Packet[]
  error: ServerError | undefined
}

export class MysqlClient {
  readonly socket: Socket
  readonly greeting: Greeting
  readonly #packets: AsyncGenerator<Packet>
  readonly #reader: PacketReader

  private constructor(socket: Socket, greeting: Greeting, reader: PacketReader, packets: AsyncGenerator<Packet>) {
    this.socket = socket
    this.greeting = greeting
    this.#reader = reader
    this.#packets = packets
  }

  /** Up to the greeting. Rejects with what the server says in its place. */
  static async greeted(path: string): Promise<MysqlClient> {
    const socket = connect(path)
    socket.on('error', () => undefined) // an end follows
    await once(socket, 'connect')
    const reader = new PacketReader(64 * 1024 * 1024)
    const packets = read(socket, reader)
    const { body } = await take(packets)
    if (body[0] === 0xff) throw new Error(readError(body).message)
    return new MysqlClient(socket, readGreeting(body), reader, packets)
  }

  /** Rejects with what the server says in place of a welcome. */
  static async open(path: string, start: Partial<ClientStart> & Pick<ClientStart, 'user'>): Promise<MysqlClient> {
    const client = await MysqlClient.greeted(path)
    const database = start.database === undefined ? 0 : can.connectWithDatabase
    const capabilities =
      can.protocol41 | can.secureConnection | can.pluginAuth | can.transactions | can.multiResults | can.preparedMultiResults | database
    client.socket.write(
      clientStart(1, {
        ...{ capabilities: capabilities | can.countedAuth, extended: 0, charset: 45, plugin: 'mysql_native_password' },
        ...{ proof: Buffer.alloc(0), attributes: Buffer.alloc(0), ...start },
      }),
    )
    client.#reader.next = 2
    const { body, sequence } = await take(client.#packets)
    if (body[0] === 0xfe && readSwitch(body) !== undefined) {
      client.#reader.next = (sequence + 2) & 0xff
      client.socket.write(packet(sequence + 1, Buffer.alloc(32, 7)))
      await take(client.#packets) // that it was right
      await take(client.#packets)
    } else if (body[0] !== 0) throw new Error(readError(body).message)
    return client
  }

  /** A command and its answer. */
  async ask(answer: AnswerKind, ...parts: readonly (Buffer | string | number)[]): Promise<Answer> {
    this.say(...parts)
    return this.answer(answer)
  }
  /** A command that is not answered, or not waited for. */
  say(...parts: readonly (Buffer | string | number)[]): void {
    this.socket.write(packet(0, ...parts))
  }
  /** `next`: number of its first packet. */
  async answer(kind: AnswerKind, next = 1): Promise<Answer> {
    this.#reader.next = next
    const reader = new AnswerReader(kind)
    const answer: Answer = { parts: [], packets: [], error: undefined }
    while (!reader.isOver) {
      const said = await take(this.#packets)
      answer.packets.push(said)
      answer.parts.push(reader.take(said))
      if (answer.parts.at(-1) === 'error') answer.error = readError(said.body)
    }
    return answer
  }
  query(text: string): Promise<Answer> {
    return this.ask('results', 3, text)
  }
  /** Number of the statement. */
  async prepare(text: string): Promise<number> {
    const { packets, error } = await this.ask('prepared', 0x16, text)
    if (error) throw new Error(error.message)
    return packets[0]?.body.readUInt32LE(1) ?? 0
  }
  /** One parameter of text. */
  execute(statement: number, value: string): Promise<Answer> {
    return this.ask('results', 0x17, uint(statement, 4), 0, uint(1, 4), 0, 1, uint(0xfd, 2), value.length, value)
  }
}

async function* read(socket: Socket, reader: PacketReader): AsyncGenerator<Packet> {
  for await (const bytes of socket) yield* reader.push(bytes as Buffer)
}

async function take(packets: AsyncGenerator<Packet>): Promise<Packet> {
  const next = await packets.next()
  if (next.done) throw new Error('the connection was closed')
  return next.value as Packet
}
