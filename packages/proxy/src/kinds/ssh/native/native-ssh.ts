/**
 * SSH for native clients. The outer connection signs somebody in and is good for one thing: jumping to what is registered,
 * here or at a leaf. Nothing runs on the proxy itself.
 */
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { deviceSubsystem } from '@sallyport/wire/device-trust.ts'
import { clusterListSubsystem, databaseListSubsystem, namesServer, nodeListSubsystem } from '@sallyport/wire/native-ssh.ts'
import type { NativeDatabase } from '@sallyport/wire/native-ssh.ts'
import type { Connection, ServerChannel, TcpipRequestInfo } from 'ssh2'
import type { Actor } from '../../../core/caller.ts'
import type { Devices } from '../../../core/device-trust/devices.ts'
import { accessDenied } from '../../../core/errors.ts'
import type { Authorities } from '../../../core/authorities/authorities.ts'
import type { People } from '../../../core/identity/people.ts'
import type { Inventory } from '../../../core/inventory/inventory.ts'
import { LockRefusal, subjectOfCaller } from '../../../core/locks/lock.ts'
import type { LockView } from '../../../core/locks/lock-view.ts'
import type { ChangeFeed } from '../../../core/resources/change-feed.ts'
import type { SocketRoute } from '../../../core/route.ts'
import type { EndReason } from '../../../core/sessions/end-reason.ts'
import { stopping as stoppingReason } from '../../../core/sessions/live-sessions.ts'
import type { Site } from '../../../core/site.ts'
import type { LeafJumps } from '../../../core/trusted-clusters/leaf-jumps.ts'
import type { Leaves } from '../../../core/trusted-clusters/leaves.ts'
import { userKind } from '../../../core/users.ts'
import { auditRefusal, publicText } from '../connect-node.ts'
import { lockedOut } from '../open-session.ts'
import { authenticate } from './authentication.ts'
import type { Holder } from './authentication.ts'
import { watchExpiry } from './certificate-expiry.ts'
import { serveDevice } from './device-channel.ts'
import type { DeviceChannelDeps } from './device-channel.ts'
import { createHostIdentities } from './host-identities.ts'
import { JumpStream } from './jump-stream.ts'
import { createJumps } from './jumps.ts'
import type { Jumper, JumpDeps, JumpService } from './jumps.ts'
import { createLeafVisits } from './leaf-visits.ts'
import { noSuchServer } from './name-node.ts'
import { listNodes, serveLists } from './node-list.ts'
import { createPendingLimit } from './pending-limit.ts'
import { refuseChannel } from './refuse-channel.ts'
import { createSshAcceptor } from './ssh-acceptor.ts'
import { watchTrust } from './trusted-connection.ts'
import { visitorSocket } from './visitor-socket.ts'

export interface NativeSshDeps extends Omit<JumpDeps, 'lists' | 'onRefused'>, Pick<DeviceChannelDeps, 'ceremony'> {
  authorities: JumpDeps['authorities'] & Pick<Authorities, 'issueHostCertificate' | 'peopleCa'>
  people: Pick<People, 'find' | 'accessOf'>
  devices: Pick<Devices, 'known' | 'watch'>
  locks: Pick<LockView, 'watch' | 'require'>
  inventory: Pick<Inventory, 'resolve' | 'nodes'>
  feed: Pick<ChangeFeed, 'subscribe'>
  site: Pick<Site, 'hostname'>
  version: string
  leaves: Pick<Leaves, 'listFor'>
  leafJumps: LeafJumps
  /** Those that somebody may see. */
  listDatabases: (actor: Actor) => NativeDatabase[]
  listKubes: (actor: Actor) => unknown
  kubeService: JumpService
}

export interface NativeSsh extends AsyncDisposable {
  /** Serves a client that was accepted on a port. */
  accept(socket: Socket): void
  /** Clients that are signed in. */
  count(): number
  /** Serves people of a root. */
  readonly visitorSocket: SocketRoute
}

/** How long sessions may take to write their end when the proxy stops. */
const drainTimeout = 1500
/** Loopback has several names. */
const loopbackNames = ['localhost', '127.0.0.1', '::1']

/** One signed-in client. */
interface Client extends Jumper {
  readonly connection: Connection
  readonly holder: Holder
}

export function createNativeSsh(deps: NativeSshDeps): NativeSsh {
  const { audit, authorities, clock, cluster, feed, inventory, leafJumps, leaves, listDatabases, listKubes, locks, log, site, version } =
    deps
  const identities = createHostIdentities(authorities)
  const acceptor = createSshAcceptor({ sample: identities.of([cluster.name]), version, log })
  const pending = createPendingLimit()
  const stopping = new AbortController()
  const clients = new Set<Client>()
  const visits = createLeafVisits(leafJumps, stopping.signal)

  const onRefused = (address: string) => (login: string, error: string) => {
    const fields = { user: login, success: false, error, 'addr.remote': address, proto: 'ssh' }
    audit
      .emit('T3007W', fields)
      .catch((cause: unknown) => log.error({ err: cause }, 'a refused login could not be written to the audit log'))
  }

  const lists = { nodes: (caller: Actor) => listNodes(caller, inventory), databases: listDatabases, kubes: listKubes }
  const jumps = createJumps({ ...deps, lists, onRefused }, acceptor)
  // Own clients reach clusters of Kubernetes over its own TLS.
  const visitorJumps = createJumps({ ...deps, services: [...deps.services, deps.kubeService], lists, onRefused }, acceptor)

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
        serveClient(clientOf(connection, holder, { address, ip }))
      },
    })
  }

  function clientOf(connection: Connection, holder: Holder, { address, ip }: { address: string; ip: string }): Client {
    const { signal } = new AbortController()
    return {
      connection,
      holder,
      caller: { ...holder, signal },
      address,
      isConfirmed: holder.isConfirmed,
      stopping: stopping.signal,
      running: new Set(),
      authenticate: async (request) => {
        const inner = await authenticate(deps, request, { ip, principal: request.username })
        if (inner === 'probe') return 'probe'
        if (inner.username !== holder.username)
          throw accessDenied(`the certificate is ${inner.username}'s, the way here was opened by ${holder.username}`)
        return { caller: { ...inner, signal }, isConfirmed: inner.isConfirmed }
      },
    }
  }

  function serveClient(client: Client): void {
    const { connection, holder, caller } = client
    const away = visits.of(holder, client)
    clients.add(client)
    const watched = locks.watch(subjectOfCaller(holder), (reason) => void disconnect(client, lockedOut(new LockRefusal(reason))))
    const trust = watchTrust(deps.devices, holder, (reason) => void disconnect(client, reason))
    const expiry = watchExpiry(holder, clock, (reason) => void disconnect(client, reason))
    connection.once('close', () => {
      clients.delete(client)
      watched[Symbol.dispose]()
      trust[Symbol.dispose]()
      expiry[Symbol.dispose]()
      away[Symbol.dispose]()
    })
    connection.on('tcpip', (open, reject, info) => void jump(client, away, { open, reject }, info))
    connection.on('session', (open) =>
      serveLists(
        open(),
        {
          [nodeListSubsystem]: () => lists.nodes(caller),
          [databaseListSubsystem]: () => lists.databases(caller),
          [clusterListSubsystem]: async () => [
            { name: cluster.name, status: 'online' },
            ...(await leaves.listFor(caller.access)).map(({ name, status }) => ({ name, status })),
          ],
        },
        {
          [deviceSubsystem]: (channel) =>
            void serveDevice(deps, channel, { ...holder, ip: client.address.slice(0, client.address.lastIndexOf(':')) }),
        },
      ),
    )
  }

  /** What runs hears the reason; then the client's connection ends. */
  async function disconnect({ connection, running }: Client, reason: EndReason): Promise<void> {
    await Promise.all([...running].map((each) => each.disconnect(reason)))
    connection.end()
  }

  /** What is here goes before what a leaf has under the same name; only what is no server's name tells by its end where it is. */
  async function jump(
    client: Client,
    away: ReturnType<typeof visits.of>,
    { open, reject }: { open: () => ServerChannel | undefined; reject: () => void },
    { destIP: name, destPort: port }: TcpipRequestInfo,
  ): Promise<void> {
    const { connection, caller, address } = client
    try {
      const elsewhere = namesServer(name) ? undefined : await away.find(name)
      const reached = elsewhere ? undefined : await jumps.reach(client, { host: name, port, name })
      if (reached) {
        const channel = open()
        if (!channel) return reached.cancel?.()
        const stream = new JumpStream(channel)
        if (reached.kind === 'node') reached.serve(stream, identities.of([reached.node.id, reached.node.hostname, name]))
        else reached.serve(stream)
        return
      }
      const found = elsewhere ?? (await away.find(name))
      if (!found) throw noSuchServer(name)
      await away.enter({ ...found, port, name }, () => {
        const channel = open()
        return channel && new JumpStream(channel)
      })
    } catch (error) {
      const text = publicText(error, log)
      const target = { kind: 'refused', serverId: name, login: '', reason: text } as const
      if (namesServer(name)) await auditRefusal(deps, target, { caller, address }, text)
      refuseChannel(connection, reject, text)
    }
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
    visitorSocket: visitorSocket({ ...deps, jumps: visitorJumps, identities, stopping: stopping.signal }),
    async [Symbol.asyncDispose]() {
      stopping.abort(new Error('the proxy is stopping'))
      removals[Symbol.dispose]()
      const left = Promise.all([...clients].map((client) => disconnect(client, stoppingReason)))
      await Promise.race([left, delay(drainTimeout, undefined, { ref: false })])
      acceptor[Symbol.dispose]()
    },
  }
}
