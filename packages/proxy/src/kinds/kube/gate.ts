/**
 * Where kubectl comes in: TLS with client certificates of people, and the API of every cluster below a path of its own.
 * Requests are decided, written down and carried on; what opens a way into a pod is handed to the sessions.
 */
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { createServer as createPlainServer } from 'node:http'
import type { IncomingMessage, Server as PlainServer, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { kubeServerName } from '@sallyport/wire/kubernetes.ts'
import { nativeKubeHost } from '@sallyport/wire/native-ssh.ts'
import { actorAt } from '../../core/access/assumed.ts'
import type { Actor } from '../../core/caller.ts'
import type { TlsAuthority } from '../../core/authorities/tls-authority.ts'
import type { Clock } from '../../core/clock.ts'
import type { Devices } from '../../core/device-trust/devices.ts'
import { AppError } from '../../core/errors.ts'
import type { People } from '../../core/identity/people.ts'
import { subjectOfCaller } from '../../core/locks/lock.ts'
import type { LockView } from '../../core/locks/lock-view.ts'
import type { ChangeFeed } from '../../core/resources/change-feed.ts'
import type { LeafJumps } from '../../core/trusted-clusters/leaf-jumps.ts'
import { userKind } from '../../core/users.ts'
import type { Admitted } from './admitted.ts'
import { answer, answerText, endRaw } from './answers.ts'
import { parseApiRequest } from './api-request.ts'
import { auditCut, auditRequest, enter, needsConfirmation, passageOf } from './entry.ts'
import type { RequestFacts, Visitor } from './entry.ts'
import { forward } from './forward.ts'
import { actorOf, readHolder } from './holder.ts'
import type { Holder } from './holder.ts'
import { forwardToLeaf, upgradeAtLeaf } from './leaf-requests.ts'
import type { AwayPlace, LeafRequest } from './leaf-requests.ts'
import { readWanted } from './impersonation.ts'
import { listReachable } from './list-reachable.ts'
import { isDiscovery, locate, pathOnly } from './locate.ts'
import { createUpgrades } from './upgrades.ts'
import type { UpgradeDeps } from './upgrades.ts'
import { toStatus } from './status.ts'

export type KubeGateDeps = UpgradeDeps & {
  tlsAuthority: Pick<TlsAuthority, 'certificate' | 'issueServer'>
  people: Pick<People, 'find' | 'accessOf'>
  devices: Pick<Devices, 'known' | 'watch'>
  locks: Pick<LockView, 'require' | 'watch'>
  feed: Pick<ChangeFeed, 'subscribe'>
  leafJumps: LeafJumps
  clock: Clock
}

export interface KubeGate extends AsyncDisposable {
  /** Serves a client that was accepted on a port and has begun to speak TLS. */
  accept(socket: Socket): void
  /** Requests and commands under way. */
  count(): number
  /** From now on no connection is kept, and what could go on for ever is ended. */
  retire(): void
  /** For people whose root sends them here, and what lists tell. */
  readonly native: {
    kubeService(host: string, client: Jumper): ((stream: Duplex) => void) | undefined
    listKubes(actor: Actor): unknown
  }
}

type Jumper = Pick<Visitor, 'address' | 'caller'> & { isConfirmed: boolean }

/** Bodies and answers may take as long as they like; headers may not. */
const timeouts = { requestTimeout: 0, headersTimeout: 10_000 }

const expired = 'the certificate expired'

/** One connection of a client. */
interface Client {
  readonly username: string
  readonly actor: () => Promise<Actor>
  readonly certificate: Pick<Holder, 'assumed' | 'expires' | 'isConfirmed'>
  readonly gone: AbortController
  readonly address: string
  /** Names the connection to leaves; people of a root have none, for they go no further. */
  readonly login?: string
  /** Ends it when the trusted device behind it is one no more; from the first request on. */
  trust?: Disposable
}

export function createKubeGate(deps: KubeGateDeps): KubeGate {
  const { devices, log, locks, feed, leafJumps } = deps
  const clients = new Map<Duplex, Client>()
  const upgrades = createUpgrades(deps)
  let underWay = 0
  let isRetired = false

  async function open(): Promise<Server> {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const server = createServer({
      key: privateKey.export({ format: 'pem', type: 'pkcs8' }),
      cert: await deps.tlsAuthority.issueServer({ name: kubeServerName, publicKey }),
      ca: await deps.tlsAuthority.certificate(),
      requestCert: true,
      rejectUnauthorized: true,
      ALPNProtocols: ['http/1.1'],
      minVersion: 'TLSv1.2',
      ...timeouts,
    })
    server.on('secureConnection', greet)
    listen(server)
    server.on('tlsClientError', (error) => log.debug({ err: error }, 'a client of Kubernetes was not let in'))
    return server
  }
  let opened: Promise<Server> | undefined
  const plain = createPlainServer(timeouts)
  listen(plain)

  function listen(server: PlainServer): void {
    server.on('request', (request, response) => void serve(request, response))
    server.on('upgrade', (request, connection, head) => void upgrade(request, connection, head))
  }

  function greet(socket: TLSSocket): void {
    const certificate = socket.getPeerX509Certificate()
    const holder = certificate && readHolder(certificate)
    if (!holder) return void socket.destroy()
    const ip = socket.remoteAddress ?? ''
    const gone = new AbortController()
    const { username } = holder
    const actor = async (): Promise<Actor> => {
      const found = await actorOf(deps, holder, ip, gone.signal).catch((error: unknown) => auditRefusal(username, address, error))
      if (found.trustedDevice && !gone.signal.aborted) client.trust ??= devices.watch(found.trustedDevice, () => socket.destroy())
      return found
    }
    const address = `${ip}:${socket.remotePort ?? 0}`
    const client: Client = { username, actor, certificate: holder, gone, address, login: `kube/${randomUUID()}` }
    keep(socket, client)
  }

  /** A certificate that does not count (any more). Rejects with the refusal. */
  async function auditRefusal(user: string, address: string, refusal: unknown): Promise<never> {
    if (refusal instanceof AppError)
      await deps.audit.emit('T3007W', { user, success: false, error: refusal.message, 'addr.remote': address, proto: 'kube' })
    throw refusal
  }

  function keep(socket: Duplex, client: Client): void {
    clients.set(socket, client)
    socket.once('close', () => {
      clients.delete(socket)
      client.trust?.[Symbol.dispose]()
      client.gone.abort(new Error('the client is gone'))
    })
  }

  /** Whoever sends the client here looks after the end of its certificate and of its trusted device. */
  function greetJumper(stream: Duplex, { caller: given, address, isConfirmed }: Jumper): void {
    const gone = new AbortController()
    const caller = { ...given, signal: AbortSignal.any([given.signal, gone.signal]) }
    const certificate = { assumed: [], expires: Number.POSITIVE_INFINITY, isConfirmed }
    keep(stream, { username: caller.username, actor: () => Promise.resolve(caller), certificate, gone, address })
    // The server takes any stream for a socket.
    plain.emit('connection', stream)
  }

  function clientOf(connection: Duplex): Client {
    const client = clients.get(connection)
    if (!client) throw new Error('a request came over a connection that nobody let in')
    return client
  }

  async function visitorOf({ actor, certificate, address }: Client, cluster: string): Promise<Visitor> {
    const caller = actorAt(await actor(), 'kube_cluster', cluster)
    const confirm = (): Promise<string | undefined> =>
      certificate.isConfirmed ? Promise.resolve(caller.mfaDevice) : Promise.reject(needsConfirmation(cluster))
    return { caller, address, confirm }
  }

  /** Every refusal is written down, as far as it is known whose it is and about what. */
  async function admit(request: IncomingMessage, visitor: Visitor, facts: RequestFacts): Promise<Admitted> {
    let known = facts
    try {
      const target = parseApiRequest(request.method ?? 'GET', facts.path)
      known = { ...known, target }
      const entry = await enter(deps, facts.cluster, visitor, readWanted(request))
      known = { ...known, entry }
      passageOf(entry, visitor, target)
      return { visitor, entry, target }
    } catch (error) {
      await auditRequest(deps, visitor, { ...known, path: pathOnly(facts.path) }, toStatus(error, log).code).catch((cause: unknown) =>
        log.error({ err: cause }, 'a refused Kubernetes request could not be written to the audit log'),
      )
      throw error
    }
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    underWay += 1
    if (isRetired) response.setHeader('connection', 'close')
    try {
      const client = clientOf(request.socket)
      const place = locate(request.url ?? '')
      const away = await findAway(client, place.cluster)
      if (away) return await carryAway(client, { ...away, path: place.path }, request, response)
      const visitor = await visitorOf(client, place.cluster)
      if (place.cluster === '') return answer(response, 200, listReachable(deps.clusters, visitor.caller))
      const facts = { method: request.method ?? 'GET', path: place.path, cluster: place.cluster }
      await carry(await admit(request, visitor, facts), request, response, facts)
    } catch (error) {
      refuse(request, response, error)
    } finally {
      underWay -= 1
    }
  }

  /** What is here goes before what a leaf has under the same name. */
  async function findAway({ actor, login }: Client, cluster: string): Promise<{ leaf: string; host: string } | undefined> {
    if (login === undefined || cluster === '' || deps.clusters.find(cluster)) return undefined
    return leafJumps.find(cluster, (await actor()).access)
  }

  async function leafRequest(client: Client, { leaf, host, path }: AwayPlace): Promise<LeafRequest> {
    const { address, certificate, gone, login = '' } = client
    const actor = { ...(await client.actor()), signal: gone.signal }
    locks.require(subjectOfCaller(actor))
    const { expires, isConfirmed: confirmed } = certificate
    return { leaf, host, path, clientAddress: address, traveller: { actor, login, certificate: { confirmed, expires } } }
  }

  /** Locks and the end of the certificate are looked at by both clusters. */
  async function carryAway(client: Client, place: AwayPlace, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = await leafRequest(client, place)
    using _held = guard(client, asked.traveller.actor, place.host, request.socket)
    const end = (): void => void request.socket.destroy()
    watches.add(end)
    await forwardToLeaf(leafJumps, asked, request, response).finally(() => watches.delete(end))
  }

  /** While it lasts, locks, the end of the certificate where roles say so, and the end of this process cut it. */
  async function carry(
    { visitor, entry, target }: Admitted,
    request: IncomingMessage,
    response: ServerResponse,
    facts: RequestFacts,
  ): Promise<void> {
    const over = new AbortController()
    response.once('close', () => {
      // Once it is answered, its connection to the cluster is somebody else's.
      if (!response.writableFinished) over.abort(new Error('the client is gone'))
    })
    using held = new DisposableStack()
    held.use(guard(clientOf(request.socket), visitor.caller, facts.cluster, request.socket))
    const endless = target.verb === 'watch' || new URLSearchParams(target.search).has('follow')
    if (endless) {
      const end = (): void => void request.socket.destroy()
      watches.add(end)
      held.defer(() => watches.delete(end))
    }
    await forward({
      request,
      response,
      api: entry.api,
      target,
      passage: passageOf(entry, visitor, target),
      identity: entry.headers,
      signal: over.signal,
      onAnswer: (status) => auditRequest(deps, visitor, { ...facts, path: target.path, entry, target }, status),
    })
  }
  const watches = new Set<() => void>()

  function guard({ certificate, address }: Client, caller: Actor, cluster: string, connection: Duplex): Disposable {
    const held = new DisposableStack()
    const end = (reason: string): void => {
      void auditCut(deps, { caller, address }, cluster, reason)
      connection.destroy()
    }
    held.use(locks.watch(subjectOfCaller(caller), end))
    const expiry = expiresWith(caller, certificate, () => end(expired))
    held.defer(() => clearTimeout(expiry))
    return held
  }

  /** A certificate with access that was assumed, or where a role asks for it, takes what it opened along when it runs out. */
  function expiresWith({ access }: Actor, { assumed, expires }: Client['certificate'], end: () => void): NodeJS.Timeout | undefined {
    if (!access.options.disconnectExpiredCert && assumed.length === 0) return undefined
    return setTimeout(end, Math.min(Math.max(0, expires - deps.clock.now()), 2 ** 31 - 1))
  }

  function refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    if (response.headersSent) return void request.socket.destroy()
    const status = toStatus(error, log)
    // A body that nobody reads any more ends with the connection.
    if (!request.complete) response.setHeader('connection', 'close')
    if (isDiscovery(request.url ?? '')) answerText(response, status.code, status.message)
    else answer(response, status.code, status)
  }

  async function upgrade(request: IncomingMessage, connection: Duplex, head: Buffer): Promise<void> {
    connection.on('error', () => undefined) // a close follows
    underWay += 1
    try {
      const client = clientOf(connection)
      const place = locate(request.url ?? '')
      const away = await findAway(client, place.cluster)
      if (away) {
        const asked = await leafRequest(client, { ...away, path: place.path })
        using _held = guard(client, asked.traveller.actor, asked.host, connection)
        return await upgradeAtLeaf(leafJumps, asked, { request, connection, head })
      }
      const visitor = await visitorOf(client, place.cluster)
      const facts = { method: request.method ?? 'GET', path: place.path, cluster: place.cluster }
      const admitted = await admit(request, visitor, facts)
      const expiry = expiresWith(visitor.caller, client.certificate, () => connection.destroy())
      connection.once('close', () => clearTimeout(expiry))
      await upgrades.take(admitted, { request, connection, head, facts: { ...facts, path: admitted.target.path } })
    } catch (error) {
      const { code, ...status } = toStatus(error, log)
      endRaw(connection, code, JSON.stringify({ ...status, code }))
    } finally {
      underWay -= 1
    }
  }

  // Whoever is removed has nothing open any more.
  const removals = feed.subscribe(({ kind, name, operation }) => {
    if (kind !== userKind.kind || operation !== 'delete') return
    for (const [connection, { username }] of clients) if (username === name) connection.destroy()
  })

  return {
    accept(socket) {
      opened ??= open()
      opened.then(
        (server) => server.emit('connection', socket),
        (error: unknown) => {
          opened = undefined
          log.error({ err: error }, 'clients of Kubernetes cannot be served')
          socket.destroy()
        },
      )
    },
    count: () => underWay + upgrades.count(),
    native: {
      kubeService: (host, client) => (host === nativeKubeHost ? (stream) => greetJumper(stream, client) : undefined),
      listKubes: (actor) => listReachable(deps.clusters, actor),
    },
    retire() {
      isRetired = true
      for (const end of watches) end()
    },
    async [Symbol.asyncDispose]() {
      removals[Symbol.dispose]()
      await upgrades[Symbol.asyncDispose]()
      for (const connection of clients.keys()) connection.destroy()
    },
  }
}
