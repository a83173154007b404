import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { connectionProblem, notFound } from '../errors.ts'
import type { HostKeyPolicy } from './host-keys.ts'
import { memoryStreamPair } from './memory-stream.ts'

/** What is to be reached: a registered host, never an address that a client names. */
export interface DialTarget {
  readonly hostId: string
  /** Where the person's client connects from, for the host to know. */
  readonly clientAddress?: string | undefined
}

/** The one way to nodes, wherever they are. What comes back is an open byte stream that the caller owns. */
export interface Dialer {
  /** Rejects with AppError: not found when no such host is registered, connection problem when it does not answer. */
  dial(target: DialTarget, signal: AbortSignal): Promise<Duplex>
  /** Absent, or undefined, for hosts that have certificates of this cluster. */
  hostKeys?(hostId: string): HostKeyPolicy | undefined
}

/** How one host is reached. */
export type Route = (signal: AbortSignal, clientAddress?: string) => Promise<Duplex>

export interface Tunnels extends Dialer {
  /** Makes the host reachable until the result is disposed. A later registration of the same host replaces the earlier one. */
  register(hostId: string, route: Route, hostKeys?: HostKeyPolicy): Disposable
  isConnected(hostId: string): boolean
  /** How a host is reached from this process. */
  routeTo(hostId: string): Route | undefined
}

/** Reaches hosts that are connected to another process of this proxy; undefined when none has it. */
export type DialElsewhere = (
  host: { hostId: string; target?: string; clientAddress?: string },
  signal: AbortSignal,
) => Promise<Duplex | undefined>

const connectTimeout = 10_000
const keepAliveDelay = 30_000

/** What is known of a host that may not be connected. */
export interface Whereabouts {
  node(hostId: string): { readonly hostname: string } | undefined
  isElsewhere(hostId: string): boolean
}

const unknownWhereabouts: Whereabouts = { node: () => undefined, isElsewhere: () => false }

export function createTunnels(
  whereabouts: Whereabouts = unknownWhereabouts,
  dialElsewhere: DialElsewhere = async () => undefined,
): Tunnels {
  const routes = new Map<string, { route: Route; hostKeys: HostKeyPolicy | undefined }>()
  return {
    register(hostId, route, hostKeys) {
      const entry = { route, hostKeys }
      routes.set(hostId, entry)
      const remove = (): void => {
        if (routes.get(hostId) === entry) routes.delete(hostId)
      }
      return { [Symbol.dispose]: remove }
    },
    isConnected: (hostId) => routes.has(hostId),
    routeTo: (hostId) => routes.get(hostId)?.route,
    hostKeys: (hostId) => routes.get(hostId)?.hostKeys,
    async dial({ hostId, clientAddress }, signal) {
      signal.throwIfAborted()
      const route = routes.get(hostId)?.route
      if (route) return route(signal, clientAddress)
      const found = await dialElsewhere({ hostId, ...(clientAddress !== undefined && { clientAddress }) }, signal)
      if (!found) throw notFound(whyNotConnected(hostId, whereabouts))
      return found
    },
  }
}

function whyNotConnected(hostId: string, { node, isElsewhere }: Whereabouts): string {
  const name = node(hostId)?.hostname ?? hostId
  if (!isElsewhere(hostId)) return `server "${name}" is not connected; check that its agent is running and was told of this proxy`
  return `server "${name}" is connected to another proxy of this cluster and not to this one; connect through that one, or add the address of this one to "proxies" in its agent.json and restart the agent`
}

/** To an agent in this process: two ends of one in-memory stream, the far one handed to `accept`. */
export function inProcessRoute(accept: (stream: Duplex) => void): Route {
  return () => {
    const [near, far] = memoryStreamPair()
    accept(far)
    return Promise.resolve(near)
  }
}

/** To a server that listens itself. The address comes from the registration of the host. */
export function tcpRoute(address: { readonly host: string; readonly port: number }): Route {
  return (signal) =>
    new Promise((resolve, reject) => {
      const within = AbortSignal.any([signal, AbortSignal.timeout(connectTimeout)])
      const socket = connect({ ...address, noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveDelay })
      const give = (): void => {
        within.removeEventListener('abort', stop)
        socket.off('error', fail)
        resolve(socket)
      }
      const fail = (cause: unknown): void => {
        within.removeEventListener('abort', stop)
        socket.destroy()
        reject(
          connectionProblem(`${address.host}:${address.port} does not answer; check that it is running and reachable from here`, { cause }),
        )
      }
      const stop = (): void => fail(within.reason)
      socket.once('connect', give)
      socket.once('error', fail)
      within.addEventListener('abort', stop, { once: true })
    })
}
