/** The SQL console's socket: from a browser's request to statements that run on a database. */
import { randomUUID } from 'node:crypto'
import type { RawData, WebSocket } from 'ws'
import { z } from 'zod'
import type { Assertion } from '@sallyport/wire/entities/mfa.ts'
import { sqlCommand, sqlSocketPath } from '@sallyport/wire/sockets/sql.ts'
import type { SqlCommand, SqlEvent } from '@sallyport/wire/sockets/sql.ts'
import { requireOwnCluster } from '../../../core/cluster/cluster.ts'
import { accessDenied } from '../../../core/errors.ts'
import type { Factors } from '../../../core/identity/factors.ts'
import { FactorError } from '../../../core/identity/lockout.ts'
import { onSocket } from '../../../core/route.ts'
import type { SocketRequest, SocketRoute } from '../../../core/route.ts'
import { publicText } from '../database-session.ts'
import type { DatabaseSessionDeps } from '../database-session.ts'
import { findTarget } from '../database-target.ts'
import type { DatabaseTarget, FindTargetDeps } from '../database-target.ts'
import { SessionEnd } from '../session-end.ts'
import { openConsole } from './open-console.ts'
import type { OpenConsole } from './open-console.ts'
import { SqlRunner } from './sql-runner.ts'

export interface SqlSocketDeps extends DatabaseSessionDeps, FindTargetDeps {
  factors: Pick<Factors, 'challenge' | 'key'>
}

const normalClosure = 1000
/** A message that is none of the protocol's. */
const protocolError = 1002

const query = z.object({ user: z.string().min(1).max(255), name: z.string().min(1).max(255) })
type Query = z.output<typeof query>

export const sqlSocket = (deps: SqlSocketDeps): SocketRoute =>
  onSocket({
    id: 'databases.sql',
    path: sqlSocketPath,
    query,
    async prepare({ params, query: { user, name }, caller }): Promise<DatabaseTarget> {
      requireOwnCluster(deps.cluster, params['clusterId'] ?? '')
      return findTarget(deps, { database: params['database'] ?? '', user, name }, caller)
    },
    open: (socket, target: DatabaseTarget, request) => void serve(deps, socket, target, request),
  })

async function serve(deps: SqlSocketDeps, webSocket: WebSocket, target: DatabaseTarget, request: SocketRequest<Query>): Promise<void> {
  const { caller, client, signal: stopping } = request
  const socket = new SqlSocket(webSocket)
  try {
    const requester = {
      caller,
      address: client.address,
      stopping,
      until: caller.sessionExpires,
      gone: socket.gone,
      confirm: () => confirm(deps.factors, socket, caller.username),
    }
    const opened = await openConsole(deps, target, requester, ({ severity, code, message, detail, hint }) => {
      void socket.send({ type: 'notice', problem: { severity, code, message, detail, hint } })
    })
    await converse(deps, socket, opened, target.protocol)
  } catch (error) {
    await socket.send({ type: 'end', text: publicText(error, deps.log) })
  } finally {
    socket.close()
  }
}

/** Until the session ends. */
async function converse(
  deps: SqlSocketDeps,
  socket: SqlSocket,
  { session, statements, split, server }: OpenConsole,
  protocol: string,
): Promise<void> {
  void statements.ended.then((why) => session.end(why))
  const runner = new SqlRunner({ session, statements, split, send: (event) => socket.send(event), stop: session.stop })
  const fail = (error: unknown): void => session.end(publicText(error, deps.log))
  socket.onCommand((command) => {
    session.touch()
    if (command.type === 'run') runner.run(command).catch(fail)
    else if (command.type === 'more') runner.more(command.rows)
    else if (command.type === 'cancel') runner.cancel()
  })
  await socket.send({ type: 'open', sid: session.sid, server, protocol })
  const why = await new Promise<unknown>((resolve) => {
    if (session.ended.aborted) resolve(session.ended.reason)
    else session.ended.addEventListener('abort', () => resolve(session.ended.reason), { once: true })
  })
  statements.close()
  await socket.send({ type: 'end', text: why instanceof SessionEnd ? why.message : '' })
}

/** The id of the key. Rejects with access denied when the browser does not prove to have one of the user. */
async function confirm(factors: SqlSocketDeps['factors'], socket: SqlSocket, user: string): Promise<string> {
  const purpose = { for: 'session', user, window: randomUUID() } as const
  const { webauthn_challenge } = await factors.challenge(purpose)
  if (!webauthn_challenge)
    throw accessDenied('access to db denied: a passkey or security key has to confirm this session; add one in your account settings')
  await socket.send({ type: 'challenge', webauthn_challenge })
  const assertion = await socket.proof()
  try {
    if (!assertion) throw new FactorError('the answer is no assertion')
    return (await factors.key(purpose, assertion)).id
  } catch (cause) {
    if (!(cause instanceof FactorError)) throw cause
    throw accessDenied(`access to db denied: the session was not confirmed: ${cause.message}`, { cause })
  }
}

/** One browser's end. What comes before somebody listens is kept: a well-behaved console sends at most a proof then. */
class SqlSocket {
  readonly #socket: WebSocket
  readonly #gone = new AbortController()
  #take: (command: SqlCommand) => void = () => undefined

  constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (data, isBinary) => this.#onMessage(data, isBinary))
    socket.on('error', () => undefined) // a close follows
    socket.on('close', () => this.#gone.abort(new SessionEnd('the browser went away')))
  }

  get gone(): AbortSignal {
    return this.#gone.signal
  }
  onCommand(take: (command: SqlCommand) => void): void {
    this.#take = take
  }
  /** The next frame, if it is one. */
  proof(): Promise<Assertion | undefined> {
    const { promise, resolve } = Promise.withResolvers<Assertion | undefined>()
    this.#take = (command) => resolve(command.type === 'proof' ? command.assertion : undefined)
    this.gone.addEventListener('abort', () => resolve(undefined), { once: true })
    if (this.gone.aborted) resolve(undefined)
    return promise
  }
  send(event: SqlEvent): Promise<void> {
    if (this.#socket.readyState !== this.#socket.OPEN) return Promise.resolve()
    return new Promise((resolve) => this.#socket.send(JSON.stringify(event), () => resolve()))
  }
  close(): void {
    this.#socket.close(normalClosure)
  }

  #onMessage(data: RawData, isBinary: boolean): void {
    let json: unknown
    try {
      json = isBinary ? undefined : JSON.parse(data.toString())
    } catch {
      json = undefined // refused below
    }
    const command = sqlCommand.safeParse(json)
    if (command.success) this.#take(command.data)
    else this.#socket.close(protocolError, 'that is no frame of this socket')
  }
}
