/**
 * One person's session on a database, from the decision to its end: roles, second factor, locks, limits, the way there, and
 * what the audit log has of it. Browsers and native clients share it.
 */
import { randomUUID } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import type { AuditCode } from '@sallyport/wire/audit/catalogue.ts'
import { ProtocolError } from '@sallyport/protocols/protocol-error.ts'
import { actorAt } from '../../core/access/assumed.ts'
import { smallest } from '../../core/access/combine-options.ts'
import type { Audit, AuditFields } from '../../core/audit/audit.ts'
import type { Actor } from '../../core/caller.ts'
import type { OwnCluster } from '../../core/cluster/cluster.ts'
import type { ClusterSettings } from '../../core/cluster/cluster-settings.ts'
import { accessDenied, AppError } from '../../core/errors.ts'
import { subjectOfCaller } from '../../core/locks/lock.ts'
import type { Log } from '../../core/log.ts'
import type { ConnectionLimit } from '../../core/sessions/connection-limit.ts'
import { actorFields, proofFields } from '../../core/sessions/subject.ts'
import { writeEnd } from '../../core/sessions/write-end.ts'
import type { RunningSessions } from '../../core/sessions/running-sessions.ts'
import type { DatabaseProtocol, ServerLogin } from './database-protocol.ts'
import type { DatabaseDialer, DatabaseTarget } from './database-target.ts'
import { wantedOf } from './database-target.ts'
import { SessionEnd } from './session-end.ts'

export interface DatabaseSessionDeps {
  cluster: OwnCluster
  settings: Pick<ClusterSettings, 'authPreference' | 'networking'>
  audit: Pick<Audit, 'emit'>
  runningSessions: Pick<RunningSessions, 'run'>
  connections: ConnectionLimit
  connect: DatabaseDialer
  log: Log
}

/** What is spoken, and what is asked for at the start. */
export interface Opening<Wishes, LoggedIn extends { key: Key | undefined }, Key> {
  protocol: DatabaseProtocol<Wishes, LoggedIn, Key>
  wishes: Wishes
}

export interface Requester {
  caller: Actor
  /** `ip:port`. */
  address: string
  /** Proves anew who the caller is; called when the session asks for it. Rejects with AppError. */
  confirm: () => Promise<string | undefined>
  /** Aborts when the caller's client is gone. */
  gone: AbortSignal
  /** Aborts when the proxy stops. */
  stopping: AbortSignal
  /** Epoch milliseconds at which it ends in any case. */
  until?: number
}

export interface DatabaseSession<LoggedIn = unknown> {
  readonly sid: string
  /** To the database; nothing of its answers has been read beyond the start. */
  readonly server: TLSSocket
  readonly loggedIn: LoggedIn
  /** Aborts with the text that says why, for the person; empty when nobody has to be told. */
  readonly ended: AbortSignal
  end(text: string): void
  /** Something happened: the session is not idle. */
  touch(): void
  /** Until the result is disposed something may be running in the database: it is stopped when the session ends before. */
  mayRun(): Disposable
  /** The same, and the session is not idle by it. */
  hold(): Disposable
  /** Asks the database to stop what runs. What cannot be asked is logged. */
  stop(): Promise<void>
  /** An event of the session; resolves when it is durable. */
  emit(code: AuditCode, fields: AuditFields): Promise<void>
}

/** Rejects with an error whose text (`publicText`) is for the person who asks. Refusals are audited. */
export async function openDatabaseSession<Wishes, LoggedIn extends { key: Key | undefined }, Key>(
  deps: DatabaseSessionDeps,
  how: Opening<Wishes, LoggedIn, Key>,
  target: DatabaseTarget,
  given: Requester,
): Promise<DatabaseSession<LoggedIn>> {
  const requester = { ...given, caller: actorAt(given.caller, 'db', target.database.id) }
  const sid = randomUUID()
  const fields = eventFields(deps, target, requester, sid)
  try {
    const { caller } = requester
    const decision = caller.access.checkResource('db', target.database.labels, wantedOf(target))
    if (!decision.allowed) throw accessDenied(decision.reason)
    const withMfa = needsMfa(deps, target, caller) ? await requester.confirm() : undefined
    return await openUnlocked(deps, how, target, requester, { sid, fields: { ...fields, ...proofFields(withMfa) } })
  } catch (error) {
    if (!requester.gone.aborted) await auditRefusal(deps, fields, publicText(error, deps.log))
    throw error
  }
}

export const needsMfa = ({ settings }: Pick<DatabaseSessionDeps, 'settings'>, target: DatabaseTarget, { access }: Actor): boolean =>
  settings.authPreference.require_session_mfa !== false || access.resourceNeedsMfa('db', target.database.labels, wantedOf(target))

async function openUnlocked<Wishes, LoggedIn extends { key: Key | undefined }, Key>(
  deps: DatabaseSessionDeps,
  { protocol, wishes }: Opening<Wishes, LoggedIn, Key>,
  target: DatabaseTarget,
  { caller, gone, stopping, until }: Requester,
  { sid, fields }: { sid: string; fields: AuditFields },
): Promise<DatabaseSession<LoggedIn>> {
  const { audit, connections, log } = deps
  const over = new AbortController()
  const end = (text: string): void => over.abort(new SessionEnd(text))
  /** Why the person was cut off, as the audit log says it. */
  let disconnected: string | undefined
  const cut = (reason: string, text: string): void => {
    if (over.signal.aborted) return
    disconnected = reason
    end(text)
  }
  using opened = new DisposableStack()
  opened.use(connections.take(caller.username, caller.access.options.maxConnections))
  const running = opened.use(
    deps.runningSessions.run(
      {
        kind: 'db',
        user: caller.username,
        login: target.user,
        tracker: { database_name: target.database.id, server_addr: target.database.uri },
        lockedBy: { ...subjectOfCaller(caller), login: target.user },
        ...(until !== undefined && { until }),
        idleTimeout: idleLimit(deps, caller),
        onEnd: (reason) => cut(reason, `The session is closed: ${reason}.`),
      },
      sid,
    ),
  )
  opened.adopt(
    endOn(gone, () => end('')),
    (off) => off(),
  )
  opened.adopt(
    endOn(caller.signal, () => cut('the web session ended', 'The session is closed: you were signed out.')),
    (off) => off(),
  )
  opened.adopt(
    endOn(stopping, () => end('The session is closed: the proxy is stopping. Connect again in a moment.')),
    (off) => off(),
  )
  try {
    over.signal.throwIfAborted()
    const secured = await deps.connect(protocol, wishes, target, over.signal)
    const server = opened.adopt(secured.stream, (stream) => void stream.destroy())
    server.on('error', () => undefined) // a close follows
    const loggedIn = await cutShort(server, over.signal, () => secured.logIn())
    await audit.emit('TDB00I', fields)
    const held = opened.move()
    let count = 0
    const mayRun = (): Disposable => {
      count += 1
      return { [Symbol.dispose]: () => void (count -= 1) }
    }
    // A database that is busy does not look whether its client is still there.
    const stop = (): Promise<void> => stopStatement(deps, protocol, target, loggedIn.key, over.signal.aborted)
    const finish = (): void => {
      if (count > 0) void stop()
      held.dispose()
      writeEnd(audit, 'TDB01I', fields, disconnected).catch((error: unknown) =>
        log.error({ err: error, sid }, 'the end of a database session could not be written'),
      )
    }
    over.signal.addEventListener('abort', finish, { once: true })
    if (over.signal.aborted) finish()
    server.once('close', () => end('The database closed the connection.'))
    return {
      sid,
      server,
      loggedIn,
      ended: over.signal,
      end,
      touch: running.touch,
      mayRun,
      hold() {
        const timer = setInterval(running.touch, holdEvery)
        const run = mayRun()
        return {
          [Symbol.dispose]() {
            clearInterval(timer)
            run[Symbol.dispose]()
          },
        }
      },
      stop,
      emit: async (code, more) => void (await audit.emit(code, { ...fields, ...more })),
    }
  } catch (error) {
    // What failed then is only what the end broke.
    throw over.signal.aborted ? over.signal.reason : error
  }
}

/** On a connection of its own, as the protocol wants it. Does not reject. */
export async function stopStatement<Wishes, LoggedIn extends { key: Key | undefined }, Key>(
  { connect, log }: Pick<DatabaseSessionDeps, 'connect' | 'log'>,
  protocol: DatabaseProtocol<Wishes, LoggedIn, Key>,
  target: ServerLogin & Pick<DatabaseTarget, 'database'>,
  key: Key | undefined,
  isOver = false,
): Promise<void> {
  if (key === undefined) return
  try {
    const server = await connect(protocol, protocol.noWishes, target, AbortSignal.timeout(stopWithin))
    server.stream.on('error', () => undefined) // the server answers by closing it
    await protocol.stop(server, key, isOver)
  } catch (error) {
    log.warn({ err: error, database: target.database.id }, 'a statement could not be stopped')
  }
}

const stopWithin = 10_000
/** How often what runs says that it does. */
const holdEvery = 1000
/** Milliseconds; 0 for never. */
const idleLimit = ({ settings }: DatabaseSessionDeps, { access }: Actor): number =>
  smallest([access.options.clientIdleTimeout, settings.networking.client_idle_timeout])

function endOn(signal: AbortSignal, end: () => void): () => void {
  if (signal.aborted) end()
  signal.addEventListener('abort', end, { once: true })
  return () => signal.removeEventListener('abort', end)
}

/** What waits for the stream fails with the reason of the signal. */
async function cutShort<T>(stream: TLSSocket, signal: AbortSignal, act: () => Promise<T>): Promise<T> {
  const off = endOn(signal, () => void stream.destroy())
  try {
    return await act()
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    off()
  }
}

export const eventFields = (
  { cluster }: Pick<DatabaseSessionDeps, 'cluster'>,
  { database, user, name }: DatabaseTarget,
  { caller, address }: Pick<Requester, 'caller' | 'address'>,
  sid: string,
): AuditFields => ({
  ...actorFields(caller),
  sid,
  // The host whose agent serves it; empty where the proxy reaches it itself.
  server_id: database.via ?? '',
  db_service: database.id,
  db_protocol: database.spec.protocol,
  db_uri: database.uri,
  db_name: name ?? '',
  db_user: user,
  db_labels: database.labels,
  cluster_name: cluster.name,
  'addr.remote': address,
  proto: 'db',
  success: true,
})

export async function auditRefusal(
  { audit, log }: Pick<DatabaseSessionDeps, 'audit' | 'log'>,
  fields: AuditFields,
  error: string,
): Promise<void> {
  await audit
    .emit('TDB00W', { ...fields, success: false, error })
    .catch((cause: unknown) => log.error({ err: cause }, 'a refused database session could not be written to the audit log'))
}

/** Errors of ours are for the user; anything else is a bug, and its text is for the log. */
export function publicText(error: unknown, log: Log): string {
  if (error instanceof AppError || error instanceof SessionEnd) return error.message
  if (error instanceof ProtocolError) return `the database cannot be understood: ${error.message}`
  log.error({ err: error }, 'a database session failed unexpectedly')
  return 'internal error: the session could not be opened; the log of the proxy says why'
}
