/**
 * Websocket endpoints. Everything is checked before the upgrade and refused with a status and a JSON error; only then
 * does a socket exist. An address with `/ws` appended takes the bearer as its first frame instead of from the query.
 */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { WebSocketServer } from 'ws'
import type { WebSocket } from 'ws'
import { z } from 'zod'
import { socketMessageLimit } from '@sallyport/wire/limits.ts'
import type { Caller } from '../core/caller.ts'
import type { ClusterSettings } from '../core/cluster/cluster-settings.ts'
import { accessDenied, AppError, notFound } from '../core/errors.ts'
import type { WebSession, WebSessions } from '../core/identity/web-sessions.ts'
import type { Log } from '../core/log.ts'
import type { SocketRequest, SocketRoute } from '../core/route.ts'
import type { Site } from '../core/site.ts'
import { needAuth } from './authenticate.ts'
import type { Authenticator } from './authenticate.ts'
import { toErrorAnswer } from './errors.ts'
import type { Forwards } from './forward.ts'
import { forwardedSocket } from './forward-socket.ts'
import { firstValues, parseInput } from './input.ts'
import { keepAlive } from './keep-alive.ts'
import { matchPath } from './match-path.ts'
import { endWithError } from './raw-answer.ts'
import type { Relay } from './relay.ts'
import { stripVersion } from './server.ts'
import type { TunnelEntry } from './tunnel-entry.ts'
import type { Visits } from './visits.ts'

export interface SocketDeps {
  authenticator: Authenticator
  sessions: Pick<WebSessions, 'find'>
  site: Site
  log: Log
  settings: Pick<ClusterSettings, 'networking'>
  tunnel?: TunnelEntry
  /** To other generations of this proxy. */
  relay?: Pick<Relay, 'upgrade'>
  /** To leaf clusters. */
  forwards?: Forwards
  /** From root clusters. */
  visits?: Pick<Visits, 'isVisit' | 'callerOf'>
}

export interface Sockets extends AsyncDisposable {
  /** How many are open. */
  count(): number
}

/** How long a client may take to send its bearer as the first frame. */
const tokenTimeout = 10_000
/** Close code of a failure on our side. */
const serverFailed = 1011
/** How long a socket has to close by itself when the server drains. */
const drainTimeout = 1000

export function serveSockets(app: FastifyInstance, routes: readonly SocketRoute[], deps: SocketDeps): Sockets {
  const draining = new AbortController()
  const server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: socketMessageLimit, clientTracking: true })
  let count = 0

  app.server.on('upgrade', (request: IncomingMessage, connection: Duplex, head: Buffer) => {
    const ignoreReset = (): void => {} // the peer left before the answer
    connection.on('error', ignoreReset)
    if (!deps.visits?.isVisit(request) && deps.tunnel?.takes(request, connection, head)) return
    if ('setNoDelay' in connection && typeof connection.setNoDelay === 'function') connection.setNoDelay(true)
    count += 1
    const requestId = `socket-${count}`
    connect(request, connection, head, requestId)
      .catch((error: unknown) => refuse(connection, error, requestId, deps.log))
      .finally(() => connection.off('error', ignoreReset))
  })

  async function connect(request: IncomingMessage, connection: Duplex, head: Buffer, requestId: string): Promise<void> {
    const url = URL.parse(stripVersion(request.url ?? '/'), 'http://local')
    if (!url) throw noSocket()
    const { route: found, params, tokenFrame } = findRoute(routes, url.pathname)
    if (draining.signal.aborted) throw new AppError('connection_problem', 'the proxy is stopping, try again in a moment')
    checkOrigin(request.headers.origin, deps.site)
    const query = firstValues(Object.fromEntries([...url.searchParams].toReversed()))
    const visit = deps.visits?.isVisit(request) ? deps.visits : undefined
    const leaf = visit ? undefined : await deps.forwards?.leafOf(params)
    const route = leaf && deps.forwards ? forwardedSocket(deps.forwards, leaf, found) : found
    const sid = route.keptUnder?.(query)
    if (sid !== undefined && (await deps.relay?.upgrade(request, connection, head, sid))) return
    const session = visit
      ? undefined
      : await deps.authenticator.session({ headers: request.headers, ip: request.socket.remoteAddress ?? '' })
    const accessToken = url.searchParams.get('access_token') ?? undefined
    const bearer = accessToken ?? request.headers.authorization?.replace(/^bearer /i, '')
    const waitsForToken = tokenFrame && accessToken === undefined
    const early = session ? (waitsForToken ? undefined : await admit(session, bearer)) : await visit?.callerOf(request)
    const parsed = parseInput(route.query, query)
    const client = {
      address: `${request.socket.remoteAddress ?? ''}:${request.socket.remotePort ?? 0}`,
      ip: request.socket.remoteAddress ?? '',
      userAgent: (request.headers['user-agent'] ?? '').slice(0, 2048),
    }
    const requestFor = (caller: Caller): SocketRequest<Record<string, unknown>> => ({
      params,
      query: parsed,
      caller,
      client,
      signal: draining.signal,
    })
    if (early) {
      const ready = requestFor(early)
      const prepared = await route.prepare(ready)
      const socket = await upgrade(request, connection, head)
      watch(socket, early)
      return open(route, socket, prepared, ready)
    }
    if (!session) throw needAuth()
    const socket = await upgrade(request, connection, head)
    await afterToken(socket, session, route, requestFor, requestId)
  }

  /** The caller, unless the session ended while it was being looked up: then its signal would never fire. */
  async function admit(session: WebSession, bearer: string | undefined): Promise<Caller> {
    const caller = await deps.authenticator.complete(session, bearer)
    if (caller.signal.aborted || !(await deps.sessions.find(session))) throw needAuth()
    return caller
  }

  async function afterToken(
    socket: WebSocket,
    session: WebSession,
    route: SocketRoute,
    requestFor: (caller: Caller) => SocketRequest<Record<string, unknown>>,
    requestId: string,
  ): Promise<void> {
    const answer = (status: 'ok' | 'error', message?: string): void =>
      socket.send(JSON.stringify({ type: 'create_session_response', status, ...(message === undefined ? {} : { message }) }))
    try {
      const caller = await admit(session, await readToken(socket))
      const ready = requestFor(caller)
      const prepared = await route.prepare(ready)
      watch(socket, caller)
      answer('ok')
      open(route, socket, prepared, ready)
    } catch (error) {
      const { body } = toErrorAnswer(error, requestId, deps.log)
      answer('error', errorText.parse(JSON.parse(body)).error.message)
      socket.close()
    }
  }

  function upgrade(request: IncomingMessage, connection: Duplex, head: Buffer): Promise<WebSocket> {
    if (connection.destroyed) throw new AppError('connection_problem', 'the client left before its socket was ready')
    return new Promise((resolve) => {
      server.handleUpgrade(request, connection, head, resolve)
    })
  }

  /** From here on errors can no longer be told with a status. */
  function open(route: SocketRoute, socket: WebSocket, prepared: unknown, request: SocketRequest<Record<string, unknown>>): void {
    try {
      route.open(socket, prepared, request)
    } catch (error) {
      deps.log.error({ err: error, socket: route.id }, 'a socket could not be served')
      socket.close(serverFailed)
    }
  }

  function watch(socket: WebSocket, caller: Caller): void {
    keepAlive(socket, deps.settings.networking.keep_alive_interval)
    const end = (): void => endSoon(socket)
    const signal = AbortSignal.any([caller.signal, draining.signal])
    signal.addEventListener('abort', end, { once: true })
    socket.once('close', () => signal.removeEventListener('abort', end))
    socket.on('error', (error) => deps.log.debug({ err: error }, 'a socket failed'))
    if (signal.aborted) end()
  }

  return {
    count: () => server.clients.size,
    async [Symbol.asyncDispose]() {
      draining.abort(new Error('the proxy is stopping'))
      const open = [...server.clients].map((socket) => new Promise((resolve) => socket.once('close', resolve)))
      for (const socket of server.clients) endSoon(socket)
      await Promise.all(open)
      server.close()
    },
  }
}

const errorText = z.object({ error: z.object({ message: z.string() }) })

/** Gives the owner of the socket a moment for its last words, then closes it for good. */
function endSoon(socket: WebSocket): void {
  const timer = setTimeout(() => socket.terminate(), drainTimeout)
  socket.once('close', () => clearTimeout(timer))
  setImmediate(() => socket.close())
}

function findRoute(
  routes: readonly SocketRoute[],
  pathname: string,
): { route: SocketRoute; params: Record<string, string>; tokenFrame: boolean } {
  for (const tokenFrame of [false, true])
    for (const route of routes) {
      const params = matchPath(stripVersion(route.path) + (tokenFrame ? '/ws' : ''), pathname)
      if (params) return { route, params, tokenFrame }
    }
  throw noSocket()
}

const noSocket = (): AppError => notFound('there is no such socket')

/** Browsers always send an origin with an upgrade, and a page of somebody else must not use the cookie. Other programs send none. */
function checkOrigin(origin: string | undefined, site: Site): void {
  if (origin !== undefined && !site.isOwnOrigin(origin)) throw accessDenied('access denied: the origin of the page is not this console')
}

function readToken(socket: WebSocket): Promise<string> {
  const form = z.object({ token: z.string().min(1).max(1024) })
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(needAuth()), tokenTimeout)
    const settle = (): void => clearTimeout(timer)
    socket.once('close', () => {
      settle()
      reject(needAuth())
    })
    socket.once('error', () => reject(needAuth()))
    socket.once('message', (data, isBinary) => {
      settle()
      let json: unknown
      try {
        json = isBinary ? undefined : JSON.parse(data.toString())
      } catch {
        json = undefined // refused below
      }
      const parsed = form.safeParse(json)
      if (parsed.success) resolve(parsed.data.token)
      else reject(needAuth())
    })
  })
}

function refuse(connection: Duplex, error: unknown, requestId: string, log: Log): void {
  endWithError(connection, toErrorAnswer(error, requestId, log))
}
