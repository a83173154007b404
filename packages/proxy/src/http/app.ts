/** The whole HTTP side over a context: page, calls, sockets; listening, leaving and closing. */
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Address } from '../config.ts'
import type { Context } from '../context.ts'
import { openPort } from '../ports.ts'
import type { PassedPort, Port } from '../ports.ts'
import { StartError } from '../start-error.ts'
import { divertAppHosts } from './app-hosts.ts'
import { createAuthenticator } from './authenticate.ts'
import { prepareDeparture } from './departure.ts'
import { servePage } from './page.ts'
import { serveKubeOnWebPort } from './kube-on-web-port.ts'
import { createRateLimiter } from './rate-limit.ts'
import { register } from './register.ts'
import { createForwards } from './forward.ts'
import { createRelay } from './relay.ts'
import { createServer, keepAliveTimeout } from './server.ts'
import { serveSockets } from './socket.ts'
import { serveSshOnWebPort } from './ssh-on-web-port.ts'
import { serveTunnels } from './tunnel-entry.ts'
import { createVisits, keepToSite } from './visits.ts'

export interface App extends AsyncDisposable {
  /** For tests: requests without a port. */
  readonly inject: FastifyInstance['inject']
  /** Throws StartError. `taken`: sockets of the process before. */
  listen(address: Address, taken?: readonly PassedPort[]): Promise<Address>
  /** The sockets that it listens on, for the process after this one. */
  passed(): PassedPort[]
  /** Takes nobody in any more; what runs goes on. */
  retire(): void
  /** Once retired: whether nothing is left that anybody would miss. */
  isDone(): Promise<boolean>
}

/** Longer than this no answer that is under way is waited for. */
const drainTimeout = 2000
/** Agents that were asked to connect anew have done so by then; those that do not know how never will. */
const agentsLeaveWithin = 15_000

export async function createApp(context: Context): Promise<App> {
  const { config, settings, connectors, clock, log, site, sessions, lockView, kubeGate, nativeSsh, neighbours, liveSessions } = context
  const tls = config.tlsCert !== undefined && config.tlsKey !== undefined ? { cert: config.tlsCert, key: config.tlsKey } : undefined
  const started = clock.now()
  const app = await createServer({ log, tls })
  const departure = prepareDeparture(app)
  // Between our own processes there is no TLS.
  const serve = (socket: Socket): void => void app.server.emit(tls ? 'secureConnection' : 'connection', socket)
  const relay = createRelay({ neighbours, keptHere: context.keeps, serve })
  const authenticator = createAuthenticator({ sessions, locks: lockView, audit: context.audit })
  const limiter = createRateLimiter(clock)
  const forwards = createForwards({ ...context, clusterKey: context.authorities.clusterKey, clusterName: config.clusterName })
  // What comes from a root is HTTP and nothing else that this port understands.
  let speakHttp: readonly Function[] = []
  const serveHttp = (socket: Socket): void => speakHttp.forEach((listener) => Reflect.apply(listener, app.server, [socket]))
  const visits = createVisits({ visitors: context.visitors, relay, serve: serveHttp })
  keepToSite(app, visits)
  register(app, context.routes, { authenticator, limiter, relay, forwards, visits })
  await servePage(app, { config, settings, connectors, site, authenticator, sessions, limiter })
  const tunnel = serveTunnels(app.server, { agents: context.agentTunnels, leaves: context.links })
  const sockets = serveSockets(app, context.sockets, { authenticator, sessions, site, log, settings, tunnel, relay, forwards, visits })
  await app.ready()
  speakHttp = app.server.listeners(tls ? 'secureConnection' : 'connection')
  const { appGate } = context
  const appHosts = divertAppHosts(app.server, { ...appGate, takes: (request) => !visits.isVisit(request) && appGate.takes(request) })
  const kubeArrivals = serveKubeOnWebPort(app.server, kubeGate.accept)
  const arrivals = serveSshOnWebPort(app.server, nativeSsh.accept)
  let port: Port | undefined
  let retired: number | undefined
  const hearing = await neighbours.listen({
    keeps: context.keeps,
    countOf: liveSessions.count,
    state: () => ({ started, version: context.version, sessions: liveSessions.count() }),
    dial: context.dialHere,
    serve: relay.accept,
  })
  return {
    inject: app.inject.bind(app),
    async listen(at, taken = []) {
      // As the server itself would open it.
      const socket = { allowHalfOpen: !tls, noDelay: true }
      const accept = (client: Socket): void => void app.server.emit('connection', client)
      port = await openPort({ use: 'web', at, socket, accept, taken }).catch((cause: unknown) => {
        throw listenError(cause, at.host, at.port)
      })
      // It looks after slow and idle connections from here on.
      app.server.emit('listening')
      void context.trustedClusters.start(visits.accept)
      return port.address
    },
    passed: () => port?.passed() ?? [],
    retire() {
      retired = performance.now()
      departure.begin()
      appHosts.leave()
      kubeGate.retire()
      void port?.close()
    },
    async isDone() {
      const counts = [departure, relay, sockets, nativeSsh, liveSessions, hearing, context.appGate, kubeGate].map((each) => each.count())
      if (counts.some((count) => count > 0)) return false
      const waited = performance.now() - (retired ?? performance.now())
      const agents = context.agentTunnels.count() + context.links.count()
      // Until they are connected to the next generation, it reaches their hosts through this one.
      if (agents > 0 && waited < agentsLeaveWithin) return false
      // Of connections that nobody uses, some may be used at this moment: they have the time that they were promised.
      return waited > keepAliveTimeout || ((await port?.count()) ?? 0) <= agents
    },
    async [Symbol.asyncDispose]() {
      const left = port?.close()
      // Sockets hold their connections open, so they end first; then whatever still runs gets a moment.
      await Promise.all([sockets[Symbol.asyncDispose](), nativeSsh[Symbol.asyncDispose](), kubeGate[Symbol.asyncDispose]()])
      await context.endSessions()
      await Promise.all([
        context.agentTunnels[Symbol.asyncDispose](),
        context.links[Symbol.asyncDispose](),
        context.trustedClusters[Symbol.asyncDispose](),
      ])
      await hearing[Symbol.asyncDispose]()
      arrivals[Symbol.dispose]()
      kubeArrivals[Symbol.dispose]()
      relay[Symbol.dispose]()
      const forced = setTimeout(() => app.server.closeAllConnections(), drainTimeout)
      app.server.closeIdleConnections()
      await Promise.all([app.close(), left])
      clearTimeout(forced)
    },
  }
}

function listenError(cause: unknown, host: string, port: number): unknown {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  const where = `${host}:${port}`
  if (code === 'EADDRINUSE')
    return new StartError(
      'port-taken',
      `Port ${port} is taken by another program; stop it or choose another address with --listen ${host}:${port + 1}.`,
      { cause },
    )
  if (code === 'EACCES')
    return new StartError('address', `This user may not listen on ${where}; choose a port above 1023 with --listen.`, { cause })
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new StartError('address', `This machine has no address ${host}; choose one that it has with --listen.`, { cause })
  return cause
}
