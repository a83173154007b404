/**
 * SSH for native clients. The outer connection signs somebody in and is good for one thing: jumping to a registered server.
 * It is not passed on there: the proxy answers in the server's place, so that what runs on it is decided, recorded and
 * audited like a terminal in the browser. Nothing runs on the proxy itself.
 */
import type { Socket } from 'node:net'
import { pipeline } from 'node:stream'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { nativeAppName } from '@sallyport/wire/native-ssh.ts'
import type { NativeDatabase } from '@sallyport/wire/native-ssh.ts'
import type { Connection, ServerChannel, TcpipRequestInfo } from 'ssh2'
import type { Actor } from '../../../core/caller.ts'
import { accessDenied } from '../../../core/errors.ts'
import type { Authorities } from '../../../core/authorities/authorities.ts'
import type { People } from '../../../core/identity/people.ts'
import type { Inventory, Node } from '../../../core/inventory/inventory.ts'
import { LockRefusal, subjectOfCaller } from '../../../core/locks/lock.ts'
import type { LockView } from '../../../core/locks/lock-view.ts'
import type { ChangeFeed } from '../../../core/resources/change-feed.ts'
import type { EndReason } from '../../../core/sessions/end-reason.ts'
import { stopping as stoppingReason } from '../../../core/sessions/live-sessions.ts'
import type { Site } from '../../../core/site.ts'
import { userKind } from '../../../core/users.ts'
import { auditRefusal, publicText } from '../connect-node.ts'
import { lockedOut } from '../open-session.ts'
import { authenticate } from './authentication.ts'
import type { Holder } from './authentication.ts'
import { createHostIdentities } from './host-identities.ts'
import { JumpStream } from './jump-stream.ts'
import { nameNode } from './name-node.ts'
import { listNodes, serveLists } from './node-list.ts'
import { NodeService } from './node-service.ts'
import type { NodeServiceDeps } from './node-service.ts'
import { serveChannels } from './serve-channels.ts'
import { createPendingLimit } from './pending-limit.ts'
import { refuseChannel } from './refuse-channel.ts'
import { createSshAcceptor } from './ssh-acceptor.ts'

export interface NativeSshDeps extends NodeServiceDeps {
  authorities: NodeServiceDeps['authorities'] & Pick<Authorities, 'issueHostCertificate' | 'peopleCa'>
  people: Pick<People, 'find' | 'accessOf'>
  locks: Pick<LockView, 'watch' | 'require'>
  inventory: Pick<Inventory, 'resolve' | 'nodes'>
  feed: Pick<ChangeFeed, 'subscribe'>
  site: Pick<Site, 'hostname'>
  version: string
  /** To a TCP application. Rejects with AppError. */
  dialApp: (name: string, client: { actor: Actor; isConfirmed: boolean; address: string }) => Promise<Duplex>
  /** Those that somebody may see. */
  listDatabases: (actor: Actor) => NativeDatabase[]
  /** What else is reached through the proxy. */
  services: readonly JumpService[]
}

/** Serves those who jump to a name that is its own; undefined for any other name. */
export type JumpService = (host: string, client: JumpClient, port: number) => ((stream: Duplex) => void) | undefined
export interface JumpClient {
  caller: Actor
  /** `ip:port`. */
  address: string
  /** Whether a hardware key has just confirmed the certificate. */
  isConfirmed: boolean
  /** Aborts when the proxy stops. */
  stopping: AbortSignal
}

export interface NativeSsh extends AsyncDisposable {
  /** Serves a client that was accepted on a port. */
  accept(socket: Socket): void
  /** Clients that are signed in. */
  count(): number
}

/** How long sessions may take to write their end when the proxy stops. */
const drainTimeout = 1500
/** Loopback has several names. */
const loopbackNames = ['localhost', '127.0.0.1', '::1']

/** One signed-in client. */
interface Client {
  readonly connection: Connection
  readonly holder: Holder
  readonly address: string
  readonly services: Set<NodeService>
  readonly gone: AbortController
}

export function createNativeSsh(deps: NativeSshDeps): NativeSsh {
  const { audit, authorities, clock, cluster, feed, inventory, locks, log, site, version } = deps
  const identities = createHostIdentities(authorities)
  const acceptor = createSshAcceptor({ sample: identities.of([cluster.name]), version, log })
  const pending = createPendingLimit()
  const stopping = new AbortController()
  const clients = new Set<Client>()

  const onRefused = (address: string) => (login: string, error: string) => {
    const fields = { user: login, success: false, error, 'addr.remote': address, proto: 'ssh' }
    audit
      .emit('T3007W', fields)
      .catch((cause: unknown) => log.error({ err: cause }, 'a refused login could not be written to the audit log'))
  }

  function accept(socket: Socket): void {
    const ip = socket.remoteAddress ?? ''
    const place = pending.take(ip)
    if (!place || stopping.signal.aborted) return void socket.destroy()
    socket.setNoDelay(true)
    socket.once('close', () => place[Symbol.dispose]())
    const address = `${ip}:${socket.remotePort ?? 0}`
    acceptor.accept<Holder>(socket, {
      identity: identities.of([cluster.name, site.hostname, ...(loopbackNames.includes(site.hostname) ? loopbackNames : [])]),
      authenticate: (request) => authenticate(deps, request, { ip, principal: undefined }),
      onRefused: onRefused(address),
      onReady: (connection, holder) => {
        place[Symbol.dispose]()
        serveClient({ connection, holder, address, services: new Set(), gone: new AbortController() })
      },
    })
  }

  function serveClient(client: Client): void {
    const { connection, holder } = client
    clients.add(client)
    const watched = locks.watch(subjectOfCaller(holder), (reason) => void disconnect(client, lockedOut(new LockRefusal(reason))))
    const expiry = expiresWith(client)
    connection.once('close', () => {
      clients.delete(client)
      watched[Symbol.dispose]()
      clearTimeout(expiry)
    })
    connection.on('tcpip', (open, reject, info) => jump(client, open, reject, info))
    connection.on('session', (open) =>
      serveLists(open(), {
        nodes: () => listNodes(holder, inventory),
        databases: () => deps.listDatabases(actorOf(client)),
      }),
    )
  }

  /** A certificate with access that was assumed, or where a role asks for it, takes what it opened along when it runs out. */
  function expiresWith(client: Client): NodeJS.Timeout | undefined {
    const { access, assumed, expires } = client.holder
    if (!access.options.disconnectExpiredCert && assumed.length === 0) return undefined
    const text = 'The session is closed: your certificate has expired. Sign in again.'
    // A certificate lives for hours; what is longer than a timer can be is longer than anybody stays.
    const left = Math.min(Math.max(0, expires - clock.now()), 2 ** 31 - 1)
    return setTimeout(() => void disconnect(client, { kind: 'cut', text, disconnected: 'the client certificate expired' }), left)
  }

  /** What runs hears the reason; then the client's connection ends. */
  async function disconnect({ connection, services }: Client, reason: EndReason): Promise<void> {
    await Promise.all([...services].map((service) => service.disconnect(reason)))
    connection.end()
  }

  function jump(client: Client, open: () => ServerChannel | undefined, reject: () => void, { destIP, destPort }: TcpipRequestInfo): void {
    const { connection, holder, address } = client
    const app = nativeAppName(destIP)
    if (app !== undefined) return void reachApp(client, open, reject, app)
    const { isConfirmed } = holder
    const jumping = { caller: actorOf(client), address, isConfirmed, stopping: stopping.signal }
    for (const service of deps.services) {
      const serve = service(destIP, jumping, destPort)
      if (!serve) continue
      const channel = open()
      if (channel) serve(new JumpStream(channel))
      return
    }
    let node: Node
    try {
      node = nameNode(inventory, cluster.name, { host: destIP, port: destPort }, holder)
    } catch (error) {
      const text = publicText(error, log)
      const target = { kind: 'refused', serverId: destIP, login: '', reason: text } as const
      void auditRefusal(deps, target, { caller: actorOf(client), address }, text).then(() => refuseChannel(connection, reject, text))
      return
    }
    const channel = open()
    if (channel) serveNode(client, new JumpStream(channel), { node, name: destIP })
  }

  async function reachApp(client: Client, open: () => ServerChannel | undefined, reject: () => void, app: string): Promise<void> {
    const { connection, holder, address, gone } = client
    try {
      const stream = await deps.dialApp(app, { actor: actorOf(client), isConfirmed: holder.isConfirmed, address })
      const channel = gone.signal.aborted ? undefined : open()
      if (!channel) return void stream.destroy()
      const near = new JumpStream(channel)
      connection.once('close', () => stream.destroy())
      near.once('close', () => stream.destroy())
      stream.once('close', () => near.destroy())
      // Each direction may end before the other.
      pipeline(near, stream, () => {})
      pipeline(stream, near, () => {})
    } catch (error) {
      refuseChannel(connection, reject, publicText(error, log))
    }
  }

  /** The client meets the server: its name, its certificate, its logins. */
  function serveNode(client: Client, channel: Duplex, { node, name }: { node: Node; name: string }): void {
    const { holder: outer, address, services } = client
    const ip = address.slice(0, address.lastIndexOf(':'))
    acceptor.accept<{ holder: Holder; login: string }>(channel, {
      identity: identities.of([node.id, node.hostname, name]),
      authenticate: async (request) => {
        const holder = await authenticate(deps, request, { ip, principal: request.username })
        if (holder === 'probe') return 'probe'
        if (holder.username !== outer.username)
          throw accessDenied(`the certificate is ${holder.username}'s, the way here was opened by ${outer.username}`)
        return { holder, login: request.username }
      },
      onRefused: onRefused(address),
      onReady: (connection, { holder, login }) => {
        const service = new NodeService(
          deps,
          { node, login, caller: { ...holder, signal: client.gone.signal }, holder, address, stopping: stopping.signal },
          connection,
        )
        serveChannels(service)
        services.add(service)
        connection.once('close', () => services.delete(service))
      },
    })
  }

  // Whoever is removed has nothing open any more.
  const removals = feed.subscribe(({ kind, name, operation }) => {
    if (kind !== userKind.kind || operation !== 'delete') return
    const reason = { kind: 'cut', text: 'The session is closed: your account was removed.', disconnected: 'the user was removed' } as const
    for (const client of clients) if (client.holder.username === name) void disconnect(client, reason)
  })

  return {
    accept,
    count: () => clients.size,
    async [Symbol.asyncDispose]() {
      stopping.abort(new Error('the proxy is stopping'))
      removals[Symbol.dispose]()
      const left = Promise.all([...clients].map((client) => disconnect(client, stoppingReason)))
      await Promise.race([left, delay(drainTimeout, undefined, { ref: false })])
      acceptor[Symbol.dispose]()
    },
  }
}

const actorOf = ({ holder, gone }: Client): Actor => ({ ...holder, signal: gone.signal })
