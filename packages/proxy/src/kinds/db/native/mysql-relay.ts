/** What passes between a native client and a MySQL server: as it comes, each command in the audit log before it reaches the database. */
import type { Duplex } from 'node:stream'
import { ok, serverError } from '@sallyport/protocols/mysql/answers.ts'
import type { ServerError } from '@sallyport/protocols/mysql/answers.ts'
import { lastStatement, readCommand, readKill } from '@sallyport/protocols/mysql/commands.ts'
import type { Command } from '@sallyport/protocols/mysql/commands.ts'
import { Conversation } from '@sallyport/protocols/mysql/conversation.ts'
import { headerLength } from '@sallyport/protocols/mysql/packets.ts'
import { ProtocolError } from '@sallyport/protocols/protocol-error.ts'
import type { Log } from '../../../core/log.ts'
import { publicText } from '../database-session.ts'
import type { DatabaseSession } from '../database-session.ts'
import { oneOf } from '../next-bytes.ts'
import { SessionEnd } from '../session-end.ts'
import { MysqlEvents } from './mysql-events.ts'

export interface RelayRules {
  /** Why a name may not be opened; undefined when it may. */
  whyNotName(name: string): string | undefined
  /** What ends a statement or a connection of the same owner here, by the number that its client was told; undefined for others. */
  killer(id: number, what: 'query' | 'connection'): (() => Promise<void>) | undefined
}

export const connectionEnded = { errno: 1927, sqlState: '08S01' }
const unknownCommand = { errno: 1047, sqlState: '08S01' }
const noAccess = { errno: 1044, sqlState: '42000' }
const malformed = { errno: 1835, sqlState: 'HY000' }

/** Until one of the two ends. */
export async function passMysql(client: Duplex, session: DatabaseSession, rules: RelayRules, log: Log): Promise<void> {
  const { server, ended } = session
  const events = new MysqlEvents()
  const conversation = new Conversation((prepared) => events.prepared(prepared))
  const say = (error: ServerError): void => {
    const { place } = conversation
    if (place !== undefined && !client.destroyed) client.write(serverError(place, error))
  }
  /** Whoever says goodbye leaves nothing behind, and wants no answer. */
  let isLeaving = false
  const last = (): void => {
    const why = ended.reason instanceof SessionEnd ? ended.reason.message : ''
    if (why !== '' && !isLeaving) say({ ...connectionEnded, message: why })
    client.end()
  }
  if (ended.aborted) return last()
  ended.addEventListener('abort', last, { once: true })
  const over = new Promise<void>((resolve) => ended.addEventListener('abort', () => resolve(), { once: true }))
  server.on('data', (bytes: Buffer) => {
    if (ended.aborted) return
    session.touch()
    try {
      if (!client.write(conversation.fromServer(bytes))) server.pause()
    } catch (error) {
      session.end(publicText(error, log))
    }
  })
  client.on('drain', () => server.resume())
  const mayRun = session.mayRun()

  /** What is answered here, in the server's place. */
  function ownAnswer(command: Command): { act?: () => Promise<void>; answer: Buffer; refusal?: string } | undefined {
    if (command.kind === 'refused') {
      const refusal = `${command.name} does not go through here`
      return { answer: serverError(1, { ...unknownCommand, message: refusal }), refusal }
    }
    if (command.kind === 'init-db') {
      const refusal = rules.whyNotName(command.name)
      return refusal === undefined ? undefined : { answer: serverError(1, { ...noAccess, message: refusal }), refusal }
    }
    const kill =
      command.kind === 'query'
        ? readKill(command.text)
        : command.kind === 'kill'
          ? ({ id: command.id, what: 'connection' } as const)
          : undefined
    const act = kill && rules.killer(kill.id, kill.what)
    return act && { act, answer: ok(1) }
  }

  async function take(chunk: Buffer): Promise<void> {
    session.touch()
    const { commands, bytes } = conversation.fromClient(chunk)
    const written: Promise<void>[] = []
    let from = 0
    const forward = async (to: number): Promise<void> => {
      await Promise.all(written.splice(0))
      const piece = bytes.subarray(from, to)
      from = to
      if (piece.length > 0 && !server.destroyed && !server.write(piece)) await oneOf(server, 'drain', 'close')
    }
    for (const packet of commands) {
      const [command, answer] = readCommand(packet)
      const own = ownAnswer(command)
      const dependsOnAnswer = 'statement' in command && command.statement === lastStatement
      if (own || dependsOnAnswer) {
        await forward(packet.at)
        await Promise.race([conversation.whenIdle(), over])
        if (ended.aborted) return
      }
      const event = events.of(command)
      if (event)
        written.push(session.emit(event[0], { ...event[1], ...(own?.refusal !== undefined && { success: false, error: own.refusal }) }))
      if (command.kind === 'quit') {
        isLeaving = true
        mayRun[Symbol.dispose]()
      }
      if (!own) {
        conversation.sent(answer)
        continue
      }
      const end = packet.at + headerLength + packet.length
      if (end > bytes.length) throw new ProtocolError('too-long', 'that command is too long for what it is')
      await Promise.all(written.splice(0))
      await own.act?.()
      client.write(own.answer)
      from = end
    }
    await forward(bytes.length)
  }

  try {
    // The client still has to be told why it failed.
    for await (const chunk of client.iterator({ destroyOnReturn: false })) if (!ended.aborted) await take(chunk)
    session.end('')
  } catch (error) {
    if (error instanceof ProtocolError) {
      await session.emit('TDB06I', {})
      say({ ...malformed, message: error.message })
    }
    session.end(error instanceof ProtocolError || client.destroyed ? '' : publicText(error, log))
  }
}
