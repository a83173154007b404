/** At the root: the leaves that are connected to this proxy, and the streams to each of them. */
import type { Duplex } from 'node:stream'
import { ProtocolError } from '@sallyport/protocols/protocol-error.ts'
import { leafStateWire, linkHeartbeatEvery, linkPaths, proxyTarget } from '@sallyport/wire/cluster-link.ts'
import { handshakeTimeout } from '@sallyport/wire/tunnel.ts'
import { AppError, connectionProblem } from '../errors.ts'
import type { Log } from '../log.ts'
import { connectAgent } from '../tunnel/agent-connection.ts'
import type { AgentConnection } from '../tunnel/agent-connection.ts'
import { TunnelRefused } from '../tunnel/agent-handshake.ts'
import type { Arrival } from '../tunnel/agent-tunnels.ts'
import type { Tunnels } from '../tunnel/tunnel.ts'
import { proveLeaf, sendLinkVerdict } from './link-handshake.ts'
import type { Identity, ProvenLeaf } from './link-handshake.ts'
import type { RemoteClusters } from './remote-clusters.ts'

export interface ClusterLinks extends AsyncDisposable {
  /** Takes a connection on which a leaf is about to prove itself. Owns the stream. */
  accept(arrival: Arrival): void
  isConnected(leaf: string): boolean
  /** A stream to the leaf's own proxy. Rejects with connection problem. */
  open(leaf: string, signal: AbortSignal, clientAddress: string): Promise<Duplex>
  /** Tells a leaf that a sign-in has ended. A leaf that cannot be told has lost what ran, or ends it when nobody comes back to it. */
  tellOver(leaf: string, login: string): void
  /** Ends the connection of a leaf, and what runs through it. */
  disconnect(leaf: string, reason: string): void
  count(): number
  /** Asks every leaf to connect anew, to the next generation. What runs through its connection here goes on. */
  sendAway(): Promise<void>
}

export interface ClusterLinkDeps extends Identity {
  leaves: RemoteClusters
  /** By which other generations reach the leaves that are connected here. */
  tunnels: Pick<Tunnels, 'register' | 'dial'>
  log: Log
  pingEvery: () => number
}

/** Handshakes at once; of too many, the oldest are those that stall. */
const maxHandshakes = 500
const drainTimeout = 1000
/** A leaf counts as connected for so long after a heartbeat, for proxies that it is not connected to. */
const onlineFor = 3 * linkHeartbeatEvery
const peer = 'leaf cluster'

const hostIdOf = (leaf: string): string => `cluster/${leaf}`

interface Leaf {
  /** By process of the leaf; the newest last. */
  readonly links: Map<string, AgentConnection>
  readonly registration: Disposable
}

export function createClusterLinks(deps: ClusterLinkDeps): ClusterLinks {
  const { leaves, tunnels, clock, log, pingEvery } = deps
  const connected = new Map<string, Leaf>()
  const shaking = new Set<Duplex>()
  /** What still has to be noted of connections that end. */
  const ending = new Set<Promise<unknown>>()
  let isStopping = false

  const newestOf = (leaf: string): AgentConnection | undefined => linksOf(leaf).at(-1)
  const linksOf = (leaf: string): AgentConnection[] => [...(connected.get(leaf)?.links.values() ?? [])]
  const all = (): AgentConnection[] => [...connected.keys()].flatMap(linksOf)

  async function welcome({ stream, address, binding = new Uint8Array() }: Arrival): Promise<void> {
    const proven = await proveLeaf(deps, stream, binding)
    if (isStopping) throw new TunnelRefused('the proxy is stopping', { later: true })
    await proven.welcome()
    // It may have been removed meanwhile.
    const isKnown = (await leaves.find(proven.leaf.name))?.publicKey === proven.leaf.publicKey
    if (isStopping || !isKnown) return void stream.destroy()
    serve(proven, stream, address)
  }

  function serve({ leaf: { name }, hello }: ProvenLeaf, stream: Duplex, address: string): void {
    const connection: AgentConnection = connectAgent({
      stream,
      peer,
      pingEvery: pingEvery(),
      readHeartbeat: (json) => leafStateWire.parse(json),
      onHeartbeat: async (state) => {
        const now = clock.now()
        const isKnown = await leaves.heartbeat(name, state, { now, onlineUntil: now + onlineFor }).catch((error: unknown) => {
          log.warn({ err: error, cluster: name }, 'a heartbeat of a leaf cluster was not stored')
          return true
        })
        if (!isKnown) connection.close('the cluster was removed')
      },
    })
    const leaf = connected.get(name) ?? { links: new Map<string, AgentConnection>(), registration: registerLeaf(name) }
    connected.set(name, leaf)
    const { links, registration } = leaf
    const before = links.get(hello.instance)
    links.delete(hello.instance)
    links.set(hello.instance, connection)
    before?.close('the leaf cluster connected again')
    log.info({ cluster: name, address, version: hello.version }, 'a leaf cluster is connected')
    const over = connection.closed.then(async (reason) => {
      log.info({ cluster: name, address, reason }, 'a leaf cluster is disconnected')
      if (links.get(hello.instance) === connection) links.delete(hello.instance)
      if (links.size > 0 || connected.get(name) !== leaf) return
      connected.delete(name)
      registration[Symbol.dispose]()
      // Where another proxy has a connection, the next heartbeat there takes this back.
      await leaves.offline(name, clock.now())
    })
    const noted = over
      .catch((error: unknown) => log.warn({ err: error, cluster: name }, 'it was not noted that a leaf cluster is disconnected'))
      .finally(() => ending.delete(noted))
    ending.add(noted)
  }

  const registerLeaf = (leaf: string): Disposable => tunnels.register(hostIdOf(leaf), (signal, address) => dial(leaf, signal, address))

  function dial(leaf: string, signal: AbortSignal, clientAddress: string | undefined): Promise<Duplex> {
    const connection = newestOf(leaf)
    if (!connection) return Promise.reject(notConnected(leaf))
    return connection.open(signal, { target: proxyTarget, clientAddress })
  }

  function refuse({ stream, address }: Arrival, error: unknown): void {
    const isExpected = error instanceof TunnelRefused || error instanceof ProtocolError || error instanceof AppError || stream.destroyed
    log[isExpected ? 'info' : 'error']({ err: error, address }, 'a link of a leaf cluster was refused')
    if (!stream.writable) return void stream.destroy()
    const reason = isExpected && error instanceof Error ? error.message : 'the proxy failed; its log says why'
    const later = error instanceof TunnelRefused ? error.later : !isExpected
    sendLinkVerdict(stream, { status: 'refused', reason: reason.slice(0, 1000), later }).catch(() => {}) // it may have left
    stream.end()
    setTimeout(() => stream.destroy(), drainTimeout).unref()
  }

  return {
    accept(arrival) {
      const { stream } = arrival
      stream.on('error', () => {}) // whoever waits for the stream learns of it
      if (isStopping) return void stream.destroy()
      const [oldest] = shaking
      if (oldest && shaking.size >= maxHandshakes) {
        shaking.delete(oldest)
        oldest.destroy()
      }
      shaking.add(stream)
      const timer = setTimeout(() => stream.destroy(), handshakeTimeout)
      welcome(arrival)
        .catch((error: unknown) => refuse(arrival, error))
        .finally(() => {
          clearTimeout(timer)
          shaking.delete(stream)
        })
    },
    isConnected: (leaf) => connected.has(leaf),
    async open(leaf, signal, clientAddress) {
      if (connected.has(leaf)) return dial(leaf, signal, clientAddress)
      return tunnels.dial({ hostId: hostIdOf(leaf), clientAddress }, signal).catch((cause: unknown) => {
        throw cause instanceof AppError && cause.code === 'not_found' ? notConnected(leaf) : cause
      })
    },
    tellOver(leaf, login) {
      for (const connection of linksOf(leaf))
        connection
          .post(linkPaths.over, login, AbortSignal.timeout(handshakeTimeout))
          .catch((error: unknown) => log.info({ err: error, cluster: leaf }, 'a leaf cluster could not be told that a sign-in has ended'))
    },
    disconnect(leaf, reason) {
      for (const connection of linksOf(leaf)) connection.close(reason)
    },
    count: () => all().length,
    async sendAway() {
      await Promise.all(
        all().map((connection) =>
          connection
            .sendAway(AbortSignal.timeout(handshakeTimeout))
            // It stays with us then, and the next generation reaches it through us.
            .catch((error: unknown) => log.warn({ err: error }, 'a leaf cluster could not be asked to connect anew')),
        ),
      )
    },
    async [Symbol.asyncDispose]() {
      isStopping = true
      for (const stream of shaking) stream.destroy()
      for (const connection of all()) connection.close('the proxy is stopping')
      await Promise.all(ending)
    },
  }
}

const notConnected = (leaf: string): AppError =>
  connectionProblem(
    `cluster "${leaf}" is not reachable right now: it is not connected to this proxy; it comes back by itself once it can reach us`,
  )
