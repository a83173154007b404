/**
 * MySQL for native clients: a client speaks to the proxy as to its server, without a password, for the way here has said who
 * it is. The proxy starts the session in its place.
 */
import { randomInt } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { ok, serverError } from '@sallyport/protocols/mysql/answers.ts'
import type { Greeting } from '@sallyport/protocols/mysql/handshake.ts'
import { LRUCache } from 'lru-cache'
import type { DatabaseItem, Databases } from '../../../core/databases/database.ts'
import { accessDenied, AppError, notFound } from '../../../core/errors.ts'
import { openDatabaseSession, publicText } from '../database-session.ts'
import type { DatabaseSession, DatabaseSessionDeps } from '../database-session.ts'
import { findTarget, wantedOf } from '../database-target.ts'
import type { DatabaseTarget, FindTargetDeps } from '../database-target.ts'
import { greet, mysqlProtocol } from '../mysql/mysql-protocol.ts'
import type { MysqlLoggedIn } from '../mysql/mysql-protocol.ts'
import { SessionEnd } from '../session-end.ts'
import { connectionEnded, passMysql } from './mysql-relay.ts'
import type { RelayRules } from './mysql-relay.ts'
import { startMysql } from './mysql-start.ts'
import type { Started } from './mysql-start.ts'
import type { NativeClient } from './native-postgres.ts'

export interface NativeMysqlDeps extends DatabaseSessionDeps, FindTargetDeps {
  databases: FindTargetDeps['databases'] & Pick<Databases, 'dial'>
}

export interface NativeMysql {
  /** Owns the stream. Undefined for a database that is not there for this client. Does not reject. */
  serve(stream: Duplex, database: DatabaseItem | undefined, client: NativeClient, name: string): Promise<void>
}

const accessRefused = { errno: 1045, sqlState: '28000' }
const greetWithin = 10_000
const mostGreetings = 1000

export function createNativeMysql(deps: NativeMysqlDeps): NativeMysql {
  const { databases, log } = deps
  /** By address: what a client is told has to come before anybody knows who it will be in the database. */
  const greetings = new LRUCache<string, Greeting>({ max: mostGreetings })
  /** By the number that a client was told for its connection. */
  const running = new Map<number, { user: string; session: DatabaseSession }>()

  async function greetingOf(database: DatabaseItem): Promise<Greeting> {
    const known = greetings.get(database.uri)
    if (known) return known
    const stream = await databases.dial(database, AbortSignal.timeout(greetWithin))
    stream.on('error', () => undefined) // whoever waits is told by a close
    try {
      const greeting = await greet(stream)
      greetings.set(database.uri, greeting)
      return greeting
    } finally {
      stream.destroy()
    }
  }

  /** Beyond those that servers reach: one of ours is never taken for one of theirs. */
  function newId(): number {
    for (;;) {
      const id = randomInt(2 ** 31, 2 ** 32)
      if (!running.has(id)) return id
    }
  }

  async function open(
    database: string,
    { start }: Started,
    client: NativeClient & { gone: AbortSignal },
  ): Promise<[DatabaseSession<MysqlLoggedIn>, DatabaseTarget]> {
    const { user, database: name, capabilities, extended, charset, attributes } = start
    const target = findTarget(deps, { database, user, name }, client.caller)
    const wishes = { capabilities, extended, charset, ...(attributes.length > 0 && { attributes }) }
    const session = await openDatabaseSession(deps, { protocol: mysqlProtocol, wishes }, target, {
      ...client,
      confirm: async () => {
        if (!client.isConfirmed)
          throw accessDenied(
            'access to db denied: every session here is confirmed with a hardware key; connect with: sallyport proxy db --headless',
          )
        return client.caller.mfaDevice
      },
    })
    greetings.set(target.database.uri, session.loggedIn.greeting)
    return [session, target]
  }

  const rulesOf = ({ caller }: NativeClient, target: DatabaseTarget): RelayRules => ({
    whyNotName(name) {
      const decision = caller.access.checkResource('db', target.database.labels, wantedOf({ user: target.user, name }))
      return decision.allowed ? undefined : accessDenied(decision.reason).message
    },
    killer(id, what) {
      const found = running.get(id)
      if (found?.user !== caller.username) return undefined
      const { session } = found
      return what === 'query' ? session.stop : async () => session.end('The session is closed: another connection of yours ended it.')
    },
  })

  async function serve(stream: Duplex, database: DatabaseItem | undefined, client: NativeClient, name: string): Promise<void> {
    stream.on('error', () => undefined) // a close follows
    const gone = new AbortController()
    stream.once('close', () => gone.abort(new SessionEnd('the client went away')))
    const id = newId()
    let sequence = 0
    try {
      if (!database) throw notFound(`database "${name}" not found`)
      const greeting = await greetingOf(database)
      sequence = 2
      const started = await startMysql(stream, greeting, id)
      sequence = started.sequence
      const [session, target] = await open(database.id, started, { ...client, gone: gone.signal })
      if (session.ended.aborted) throw session.ended.reason
      running.set(id, { user: client.caller.username, session })
      session.ended.addEventListener('abort', () => running.delete(id), { once: true })
      stream.write(ok(sequence))
      await passMysql(stream, session, rulesOf(client, target), log)
    } catch (error) {
      const code = error instanceof AppError && error.code === 'access_denied' ? accessRefused : connectionEnded
      if (!stream.destroyed) stream.write(serverError(sequence, { ...code, message: publicText(error, log) }))
    } finally {
      stream.end()
    }
  }
  return { serve }
}
