/** The agents that are connected to this proxy: proved, watched by the locks, reachable by their host's id. */
import type { Duplex } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { ProtocolError } from '@sallyport/protocols/protocol-error.ts'
import { handshakeTimeout, heartbeatWire } from '@sallyport/wire/tunnel.ts'
import type { Announced, HeartbeatWire } from '@sallyport/wire/tunnel.ts'
import { AppError, notFound } from '../errors.ts'
import type { Inventory } from '../inventory/inventory.ts'
import type { HostCertificates } from '../join/host-certificates.ts'
import type { Host, Hosts } from '../join/hosts.ts'
import type { LockView } from '../locks/lock-view.ts'
import type { Log } from '../log.ts'
import { connectAgent } from './agent-connection.ts'
import type { AgentConnection } from './agent-connection.ts'
import { proveHost, sendVerdict, TunnelRefused } from './agent-handshake.ts'
import type { HandshakeDeps, ProvenHost } from './agent-handshake.ts'
import type { DialElsewhere, Route, Tunnels } from './tunnel.ts'

export interface Arrival {
  readonly stream: Duplex
  /** `ip:port`. */
  readonly address: string
  /** Of the TLS connection, when the agent itself speaks TLS with this process. */
  readonly binding?: Uint8Array
}

export interface AgentTunnels extends AsyncDisposable {
  /** Takes a connection on which an agent is about to prove its host. Owns the stream. */
  accept(arrival: Arrival): void
  /** To a machine that has no agent, through one that is told to forward to it (`host:port`). */
  through(agentHostId: string, target: string): Route
  /** The same from this process only; undefined when the agent is not connected to it. */
  routeThrough(agentHostId: string, target: string): Route | undefined
  count(): number
  /** Asks every agent to connect anew, to the next generation. What runs through its connection here goes on. */
  sendAway(): Promise<void>
}

export interface AgentTunnelDeps extends HandshakeDeps {
  tunnels: Pick<Tunnels, 'register'>
  hosts: Hosts
  certificates: HostCertificates
  inventory: Pick<Inventory, 'heartbeat'>
  /** Takes what a host says that it reaches, until `expires` (epoch milliseconds). Does not reject. */
  onAnnounced?: (host: Host, resources: readonly Announced[], expires: number) => Promise<void>
  /** Takes which databases a host is for, by their labels, until `expires`. */
  onDatabases?: (host: Host, matchers: NonNullable<HeartbeatWire['databases']>, expires: number) => void
  locks: Pick<LockView, 'require' | 'watch'>
  log: Log
  /** Milliseconds between two pings, for connections from now on. */
  pingEvery: () => number
  dialElsewhere?: DialElsewhere
  /** Milliseconds for a whole handshake. */
  handshakeWithin?: number
  /** One more ends the oldest. */
  handshakesAtOnce?: number
}

interface Connected {
  readonly instance: string
  readonly connection: AgentConnection
}

/** Handshakes at once. An agent needs milliseconds for one: of too many, the oldest are those that stall. */
const maxHandshakes = 4000
const duplicateAnswersWithin = 5000
const heartbeatTtl = 3 * 60_000
const renewalCheckEvery = 3_600_000
/** At least so long from one heartbeat of a host to its next. */
const heartbeatSpacing = 200
const drainTimeout = 1000
/** Role of a token whose hosts are servers. */
const nodeRole = 'Node'

export function createAgentTunnels(deps: AgentTunnelDeps): AgentTunnels {
  const {
    tunnels,
    hosts,
    certificates,
    inventory,
    onAnnounced = async () => {},
    onDatabases,
    locks,
    clock,
    log,
    pingEvery,
    dialElsewhere = async () => undefined,
    handshakeWithin = handshakeTimeout,
    handshakesAtOnce = maxHandshakes,
  } = deps
  const connected = new Map<string, Connected>()
  const shaking = new Set<Duplex>()
  let isStopping = false

  async function welcome({ stream, address, binding = new Uint8Array() }: Arrival): Promise<void> {
    const proven = await proveHost(deps, stream, binding)
    const { host, hello } = proven
    locks.require({ node: host.id })
    await refuseDuplicate(host.id, hello.instance)
    if (isStopping) throw new TunnelRefused('the proxy is stopping', { later: true })
    await sendVerdict(stream, { status: 'ok' })
    if (isStopping) return void stream.destroy()
    serve(proven, stream, address)
  }

  /** Of two machines with one identity the first one stays; a connection that is only left over gives way. */
  async function refuseDuplicate(id: string, instance: string): Promise<void> {
    const other = connected.get(id)
    if (!other || other.instance === instance || !(await other.connection.answers(duplicateAnswersWithin))) return
    throw new TunnelRefused(
      `the host id ${id} is in use by another agent that is connected; if this machine was copied, delete the agent's data directory here and join again`,
    )
  }

  function serve({ host, hello, certificate }: ProvenHost, stream: Duplex, address: string): void {
    const { id } = host
    const store = async ({ hostname, labels, resources, databases, ...rest }: HeartbeatWire): Promise<void> => {
      const known = { id, hostname, addr: '', tunnel: true, ...rest, labels: { ...labels, ...host.labels } }
      const expires = clock.now() + heartbeatTtl
      if (host.roles.includes(nodeRole))
        await inventory
          .heartbeat({ ...known, expires })
          .catch((error: unknown) => log.warn({ err: error, host: id }, 'a heartbeat was not stored'))
      if (databases) onDatabases?.(host, databases, expires)
      if (resources.length > 0) await onAnnounced(host, resources, expires)
      await wait(heartbeatSpacing, undefined, { ref: false })
    }
    const connection = connectAgent({
      stream,
      pingEvery: pingEvery(),
      readHeartbeat: (json) => heartbeatWire.parse(json),
      onHeartbeat: store,
    })
    const registration = tunnels.register(id, (signal, clientAddress) => connection.open(signal, { clientAddress }))
    const before = connected.get(id)
    const entry = { instance: hello.instance, connection }
    connected.set(id, entry)
    before?.connection.close('the agent connected again')
    const watched = locks.watch({ node: id }, (reason) => connection.close(reason))

    let current = certificate
    const renew = async (isFirst: boolean): Promise<void> => {
      const news = certificates.news()
      if (!certificates.needsRenewal(current)) return isFirst ? tell(news) : undefined
      const issued = certificates.issue(host)
      await hosts.renew(id, issued.expires)
      await tell({ ...news, certificate: issued.line })
      current = issued.certificate
    }
    const tell = (news: Parameters<AgentConnection['tell']>[0]): Promise<void> =>
      connection.tell(news, AbortSignal.timeout(handshakeTimeout))
    const attempt = (isFirst: boolean): void =>
      void renew(isFirst).catch((error: unknown) =>
        log.warn({ err: error, host: id }, 'an agent could not be told the news of its cluster'),
      )
    attempt(true)
    const timer = setInterval(() => attempt(false), renewalCheckEvery).unref()

    log.info({ host: id, hostname: hello.hostname, address, version: hello.version }, 'an agent is connected')
    void connection.closed.then((reason) => {
      clearInterval(timer)
      watched[Symbol.dispose]()
      registration[Symbol.dispose]()
      if (connected.get(id) === entry) connected.delete(id)
      log.info({ host: id, hostname: hello.hostname, address, reason }, 'an agent is disconnected')
    })
  }

  function refuse({ stream, address }: Arrival, error: unknown): void {
    const isExpected = error instanceof TunnelRefused || error instanceof ProtocolError || error instanceof AppError || stream.destroyed
    log[isExpected ? 'info' : 'error']({ err: error, address }, 'a tunnel was refused')
    if (!stream.writable) return void stream.destroy()
    const reason = isExpected && error instanceof Error ? error.message : 'the proxy failed; its log says why'
    const later = error instanceof TunnelRefused ? error.later : !isExpected
    sendVerdict(stream, { status: 'refused', reason: reason.slice(0, 1000), later }).catch(() => {}) // it may have left
    stream.end()
    setTimeout(() => stream.destroy(), drainTimeout).unref()
  }

  function routeThrough(agentHostId: string, target: string): Route | undefined {
    const agent = connected.get(agentHostId)
    return agent && ((signal, clientAddress) => agent.connection.open(signal, { target, clientAddress }))
  }

  return {
    accept(arrival) {
      const { stream } = arrival
      stream.on('error', () => {}) // whoever waits for the stream learns of it
      if (isStopping) return void stream.destroy()
      const [oldest] = shaking
      if (oldest && shaking.size >= handshakesAtOnce) {
        shaking.delete(oldest)
        oldest.destroy()
      }
      shaking.add(stream)
      const timer = setTimeout(() => stream.destroy(), handshakeWithin)
      welcome(arrival)
        .catch((error: unknown) => refuse(arrival, error))
        .finally(() => {
          clearTimeout(timer)
          shaking.delete(stream)
        })
    },
    through: (agentHostId, target) => async (signal, clientAddress) => {
      const route = routeThrough(agentHostId, target)
      if (route) return route(signal, clientAddress)
      const found = await dialElsewhere({ hostId: agentHostId, target, ...(clientAddress !== undefined && { clientAddress }) }, signal)
      if (!found) throw notFound(`the agent that forwards to ${target} is not connected; check that it is running`)
      return found
    },
    routeThrough,
    count: () => connected.size,
    async sendAway() {
      const asked = [...connected].map(([host, { connection }]) =>
        connection
          .sendAway(AbortSignal.timeout(handshakeTimeout))
          // It stays with us then, and the next generation reaches it through us.
          .catch((error: unknown) => log.warn({ err: error, host }, 'an agent could not be asked to connect anew')),
      )
      await Promise.all(asked)
    },
    async [Symbol.asyncDispose]() {
      isStopping = true
      for (const stream of shaking) stream.destroy()
      const all = [...connected.values()].map(({ connection }) => connection)
      for (const connection of all) connection.close('the proxy is stopping')
      await Promise.all(all.map(({ closed }) => closed))
    },
  }
}
