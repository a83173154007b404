/**
 * PostgreSQL for native clients: a client speaks to the proxy as to its server, without a password, for the way here has
 * said who it is. The proxy starts the session in its place; then everything passes as it comes, each command in the audit
 * log before it reaches the database.
 */
import type { Duplex } from 'node:stream'
import { authenticationOk, fatalError, negotiateVersion } from '@sallyport/protocols/postgres/backend.ts'
import { frame, FrameWatch } from '@sallyport/protocols/postgres/frames.ts'
import { readCommand, readFirst } from '@sallyport/protocols/postgres/frontend.ts'
import type { BackendKey, FirstMessage } from '@sallyport/protocols/postgres/frontend.ts'
import { ProtocolError } from '@sallyport/protocols/protocol-error.ts'
import type { Actor } from '../../../core/caller.ts'
import { accessDenied, AppError, notImplemented } from '../../../core/errors.ts'
import { openDatabaseSession, publicText, stopStatement } from '../database-session.ts'
import type { DatabaseSession, DatabaseSessionDeps } from '../database-session.ts'
import { oneOf } from '../next-bytes.ts'
import type { LoggedIn } from '../postgres/login.ts'
import { postgresProtocol } from '../postgres/postgres-protocol.ts'
import { SessionEnd } from '../session-end.ts'
import { findTarget } from '../database-target.ts'
import type { DatabaseTarget, FindTargetDeps } from '../database-target.ts'
import { eventOf } from './command-events.ts'

export interface NativePostgresDeps extends DatabaseSessionDeps, FindTargetDeps {}

export interface NativeClient {
  caller: Actor
  /** `ip:port`. */
  address: string
  /** Whether a hardware key confirmed the way here. */
  isConfirmed: boolean
  stopping: AbortSignal
}

type Startup = Extract<FirstMessage, { kind: 'startup' }>

/** Of a command, so much is looked at. */
const headLimit = 64 * 1024
const invalidAuthorization = '28000'
const adminShutdown = '57P01'
const protocolViolation = '08P01'
/** Of the client, and what the proxy says itself. */
const ownParameters = ['user', 'database', 'replication']

export interface NativePostgres {
  /** Owns the stream. Does not reject. */
  serve(stream: Duplex, database: string, client: NativeClient): Promise<void>
}

export function createNativePostgres(deps: NativePostgresDeps): NativePostgres {
  /** Whose statements may be cancelled, by the key of their connection. */
  const running = new Map<string, { user: string; target: DatabaseTarget }>()
  const keyOf = ({ pid, secret }: BackendKey): string => `${pid}:${secret}`

  async function cancel(key: BackendKey, { caller }: NativeClient): Promise<void> {
    const found = running.get(keyOf(key))
    if (found?.user === caller.username) await stopStatement(deps, postgresProtocol, found.target, key)
  }

  async function open(
    stream: Duplex,
    database: string,
    start: Startup,
    client: NativeClient & { gone: AbortSignal },
  ): Promise<[DatabaseSession<LoggedIn>, DatabaseTarget]> {
    const { user = '', replication = 'off' } = start.parameters
    if (!['off', 'no', 'false', '0'].includes(replication)) throw notImplemented('replication does not go through here')
    const target = findTarget(deps, { database, user, name: start.parameters['database'] ?? user }, client.caller)
    const asked = Object.entries(start.parameters).filter(([name]) => !ownParameters.includes(name) && !name.startsWith('_pq_.'))
    const session = await openDatabaseSession(deps, { protocol: postgresProtocol, wishes: Object.fromEntries(asked) }, target, {
      ...client,
      confirm: async () => {
        if (!client.isConfirmed)
          throw accessDenied(
            'access to db denied: every session here is confirmed with a hardware key; connect with: sallyport proxy db --headless',
          )
        return client.caller.mfaDevice
      },
    })
    const extensions = Object.keys(start.parameters).filter((name) => name.startsWith('_pq_.'))
    const { parameters, key } = session.loggedIn
    stream.write(
      Buffer.concat([
        ...(start.minor > 0 || extensions.length > 0 ? [negotiateVersion(extensions)] : []),
        authenticationOk(),
        ...[...parameters].map(([name, value]) => frame('S', `${name}\0${value}\0`)),
        ...(key ? [backendKey(key)] : []),
        frame('Z', 'I'),
      ]),
    )
    return [session, target]
  }

  /** Until one of the two ends. */
  async function pass(client: Duplex, rest: Buffer, session: DatabaseSession): Promise<void> {
    const { server, ended } = session
    const last = (): void => {
      const why = ended.reason instanceof SessionEnd ? ended.reason.message : ''
      if (why !== '' && !client.destroyed) client.end(fatalError(adminShutdown, why))
      else client.end()
    }
    if (ended.aborted) return last()
    ended.addEventListener('abort', last, { once: true })
    server.on('data', (bytes: Buffer) => {
      session.touch()
      if (!client.write(bytes)) server.pause()
    })
    client.on('drain', () => server.resume())
    const watch = new FrameWatch(headLimit)
    const mayRun = session.mayRun()
    const take = async (chunk: Buffer): Promise<void> => {
      if (ended.aborted) return
      session.touch()
      const { frames, bytes } = watch.push(chunk)
      // Whoever says goodbye leaves nothing behind.
      if (frames.some(({ type }) => type === 'X')) mayRun[Symbol.dispose]()
      const commands = frames.map(readCommand).filter((command) => command !== undefined)
      if (commands.length > 0) await Promise.all(commands.map((command) => session.emit(...eventOf(command))))
      if (bytes.length > 0 && !server.destroyed && !server.write(bytes)) await oneOf(server, 'drain', 'close')
    }
    try {
      if (rest.length > 0) await take(rest)
      // The client still has to be told why it failed.
      for await (const chunk of client.iterator({ destroyOnReturn: false })) await take(chunk)
      session.end('')
    } catch (error) {
      if (error instanceof ProtocolError) {
        await session.emit('TDB06I', {})
        client.write(fatalError(protocolViolation, error.message))
      }
      session.end(error instanceof ProtocolError || client.destroyed ? '' : publicText(error, deps.log))
    }
  }

  return {
    async serve(stream, database, client) {
      stream.on('error', () => undefined) // a close follows
      const gone = new AbortController()
      stream.once('close', () => gone.abort(new SessionEnd('the client went away')))
      try {
        const first = await readStart(stream)
        if (!first) return
        if (first.message.kind === 'cancel') return await cancel(first.message, client)
        const [session, target] = await open(stream, database, first.message, { ...client, gone: gone.signal })
        const key = session.loggedIn.key && keyOf(session.loggedIn.key)
        if (key !== undefined) {
          running.set(key, { user: client.caller.username, target })
          session.ended.addEventListener('abort', () => running.delete(key), { once: true })
        }
        await pass(stream, first.rest, session)
      } catch (error) {
        if (error instanceof ProtocolError || error instanceof AppError || error instanceof SessionEnd || !stream.destroyed)
          stream.write(fatalError(invalidAuthorization, publicText(error, deps.log)))
      } finally {
        stream.end()
      }
    },
  }
}

function backendKey({ pid, secret }: BackendKey): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeInt32BE(pid, 0)
  bytes.writeInt32BE(secret, 4)
  return frame('K', bytes)
}

/** The start, after everything that asks for encryption: the way here is encrypted. Undefined when the client went away. */
async function readStart(
  stream: Duplex,
): Promise<{ message: Startup | Extract<FirstMessage, { kind: 'cancel' }>; rest: Buffer } | undefined> {
  let held: Buffer = Buffer.alloc(0)
  for (;;) {
    const first = readFirst(held)
    if (first && (first.message.kind === 'startup' || first.message.kind === 'cancel')) return { message: first.message, rest: first.rest }
    if (first) {
      stream.write('N')
      held = first.rest
      continue
    }
    const bytes: Buffer | null = stream.read()
    if (bytes !== null) held = Buffer.concat([held, bytes])
    else if (stream.destroyed || stream.readableEnded) return undefined
    else await oneOf(stream, 'readable', 'end', 'close')
  }
}
