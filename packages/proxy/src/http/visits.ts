/**
 * At a leaf: requests that come from a root through the link. They are served as any others, but who asks is what the root
 * asserts, never a cookie, and nothing is there for them but what lies below this cluster's own site.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { assertionHeader } from '@sallyport/wire/cluster-link.ts'
import type { Caller } from '../core/caller.ts'
import { accessDenied, notFound } from '../core/errors.ts'
import type { Visitors } from '../core/trusted-clusters/visitors.ts'
import type { Relay } from './relay.ts'
import { stripVersion } from './server.ts'

export interface Visits {
  /** A connection that a root opened for somebody at that address. */
  accept(stream: Duplex, from: { root: string; clientAddress: string }): void
  /** Whether a request came through a link, or was passed on by another generation that got it so. */
  isVisit(request: IncomingMessage): boolean
  /** Throws access denied. */
  callerOf(request: IncomingMessage): Promise<Caller>
}

export interface VisitsDeps {
  visitors: Pick<Visitors, 'callerOf'>
  relay: Pick<Relay, 'isRelayed'>
  serve: (socket: Socket) => void
}

export function createVisits({ visitors, relay, serve }: VisitsDeps): Visits {
  const connections = new WeakSet<object>()
  return {
    accept(stream, { clientAddress }) {
      const at = clientAddress.lastIndexOf(':')
      connections.add(stream)
      Object.defineProperties(stream, {
        remoteAddress: { value: clientAddress.slice(0, Math.max(at, 0)) },
        remotePort: { value: Number(clientAddress.slice(at + 1)) || 0 },
      })
      // The server takes any stream for a socket.
      serve(stream as Socket)
    },
    isVisit: ({ socket, headers }) => connections.has(socket) || (relay.isRelayed(socket) && headers[assertionHeader] !== undefined),
    async callerOf({ headers, method = '', url = '' }) {
      const assertion = headers[assertionHeader]
      if (typeof assertion !== 'string') throw accessDenied('access to cluster denied: the root does not say who asks')
      return visitors.callerOf(assertion, { method, target: stripVersion(url) })
    },
  }
}

/** Whoever asks through a link finds only what belongs to a site: no sign-in, no page, no administration of this cluster. */
export function keepToSite(app: FastifyInstance, visits: Pick<Visits, 'isVisit'>): void {
  app.addHook('onRequest', async (request) => {
    if (visits.isVisit(request.raw) && !request.routeOptions.url?.includes('/:clusterId/')) throw notFound('there is no such call')
  })
}
