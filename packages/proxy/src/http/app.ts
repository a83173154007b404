/** The whole HTTP side over a context: page, calls, sockets; listening and closing. */
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Address } from '../config.ts'
import type { Context } from '../context.ts'
import { StartError } from '../start-error.ts'
import { createAuthenticator } from './authenticate.ts'
import { servePage } from './page.ts'
import { createRateLimiter } from './rate-limit.ts'
import { register } from './register.ts'
import { createServer } from './server.ts'
import { serveSockets } from './socket.ts'
import { serveSshOnWebPort } from './ssh-on-web-port.ts'
import { serveTunnels } from './tunnel-entry.ts'

export interface App extends AsyncDisposable {
  /** For tests: requests without a port. */
  readonly inject: FastifyInstance['inject']
  /** Throws StartError. */
  listen(address: Address): Promise<Address>
}

/** Longer than this no answer that is under way is waited for. */
const drainTimeout = 2000

export async function createApp(context: Context): Promise<App> {
  const { config, settings, connectors, clock, log, site, sessions, lockView, nativeSsh } = context
  const tls = config.tlsCert !== undefined && config.tlsKey !== undefined ? { cert: config.tlsCert, key: config.tlsKey } : undefined
  const app = await createServer({ log, tls })
  const authenticator = createAuthenticator({ sessions, locks: lockView, audit: context.audit })
  const limiter = createRateLimiter(clock)
  register(app, context.routes, { authenticator, limiter })
  await servePage(app, { config, settings, connectors, site, authenticator, sessions, limiter })
  const tunnel = serveTunnels(app.server, context.agentTunnels)
  const sockets = serveSockets(app, context.sockets, { authenticator, sessions, site, log, settings, tunnel })
  await app.ready()
  const arrivals = serveSshOnWebPort(app.server, nativeSsh.accept)
  return {
    inject: app.inject.bind(app),
    async listen({ host, port }) {
      try {
        await app.listen({ host, port })
      } catch (cause) {
        throw listenError(cause, host, port)
      }
      const bound = app.server.address() as AddressInfo
      return { host: bound.address, port: bound.port }
    },
    async [Symbol.asyncDispose]() {
      // Sockets hold their connections open, so they end first; then whatever still runs gets a moment.
      await Promise.all([sockets[Symbol.asyncDispose](), nativeSsh[Symbol.asyncDispose]()])
      await context.endSessions()
      await context.agentTunnels[Symbol.asyncDispose]()
      arrivals[Symbol.dispose]()
      const forced = setTimeout(() => app.server.closeAllConnections(), drainTimeout)
      await app.close()
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
