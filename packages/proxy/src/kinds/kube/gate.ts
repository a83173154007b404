/**
 * Where kubectl comes in: TLS with client certificates of people, and the API of every cluster below a path of its own.
 * Requests are decided, written down and carried on; what opens a way into a pod is handed to the sessions.
 */
import { generateKeyPairSync } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { kubePath, kubeServerName } from '@sallyport/wire/kubernetes.ts'
import { accessTo, actorAt } from '../../core/access/assumed.ts'
import type { TlsAuthority } from '../../core/authorities/tls-authority.ts'
import type { Clock } from '../../core/clock.ts'
import { badParameter, notFound } from '../../core/errors.ts'
import type { People } from '../../core/identity/people.ts'
import { subjectOfCaller } from '../../core/locks/lock.ts'
import type { LockView } from '../../core/locks/lock-view.ts'
import type { ChangeFeed } from '../../core/resources/change-feed.ts'
import { userKind } from '../../core/users.ts'
import type { Admitted } from './admitted.ts'
import { parseApiRequest } from './api-request.ts'
import { auditRequest, enter, needsConfirmation, passageOf } from './entry.ts'
import type { RequestFacts, Visitor } from './entry.ts'
import { forward } from './forward.ts'
import { actorOf, readHolder } from './holder.ts'
import type { Holder } from './holder.ts'
import { namesOf, readWanted } from './impersonation.ts'
import { createUpgrades } from './upgrades.ts'
import type { UpgradeDeps } from './upgrades.ts'
import { toStatus } from './status.ts'

export type KubeGateDeps = UpgradeDeps & {
  tlsAuthority: Pick<TlsAuthority, 'certificate' | 'issueServer'>
  people: Pick<People, 'find' | 'accessOf'>
  locks: Pick<LockView, 'require' | 'watch'>
  feed: Pick<ChangeFeed, 'subscribe'>
  clock: Clock
}

export interface KubeGate extends AsyncDisposable {
  /** Serves a client that was accepted on a port and has begun to speak TLS. */
  accept(socket: Socket): void
  /** Requests and commands under way. */
  count(): number
  /** From now on no connection is kept, and what could go on for ever is ended. */
  retire(): void
}

/** One connection of a client. */
interface Client {
  readonly holder: Holder
  readonly gone: AbortController
  readonly address: string
  readonly ip: string
}

export function createKubeGate(deps: KubeGateDeps): KubeGate {
  const { people, log, locks, feed } = deps
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
      // Bodies and answers may take as long as they like; headers may not.
      requestTimeout: 0,
      headersTimeout: 10_000,
    })
    server.on('secureConnection', greet)
    server.on('request', (request, response) => void serve(request, response))
    server.on('upgrade', (request, connection, head) => void upgrade(request, connection, head))
    server.on('tlsClientError', (error) => log.debug({ err: error }, 'a client of Kubernetes was not let in'))
    return server
  }
  let opened: Promise<Server> | undefined

  function greet(socket: TLSSocket): void {
    const certificate = socket.getPeerX509Certificate()
    const holder = certificate && readHolder(certificate)
    if (!holder) return void socket.destroy()
    const ip = socket.remoteAddress ?? ''
    const client: Client = { holder, gone: new AbortController(), ip, address: `${ip}:${socket.remotePort ?? 0}` }
    clients.set(socket, client)
    socket.once('close', () => {
      clients.delete(socket)
      client.gone.abort(new Error('the client is gone'))
    })
  }

  function clientOf(connection: Duplex): Client {
    const client = clients.get(connection)
    if (!client) throw new Error('a request came over a connection that nobody let in')
    return client
  }

  async function visitorOf({ holder, gone, address, ip }: Client, cluster: string): Promise<Visitor> {
    const caller = actorAt(await actorOf(people, holder, ip, gone.signal), 'kube_cluster', cluster)
    const confirm = (): Promise<void> => (holder.isConfirmed ? Promise.resolve() : Promise.reject(needsConfirmation(cluster)))
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
      const visitor = await visitorOf(client, place.cluster)
      if (place.cluster === '') return list(visitor, response)
      const facts = { method: request.method ?? 'GET', path: place.path, cluster: place.cluster }
      await carry(await admit(request, visitor, facts), request, response, facts)
    } catch (error) {
      refuse(request, response, error)
    } finally {
      underWay -= 1
    }
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
    held.use(locks.watch(subjectOfCaller(visitor.caller), () => request.socket.destroy()))
    const expiry = expiresWith(visitor, clientOf(request.socket).holder, () => request.socket.destroy())
    held.defer(() => clearTimeout(expiry))
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

  /** A certificate with access that was assumed, or where a role asks for it, takes what it opened along when it runs out. */
  function expiresWith({ caller }: Visitor, { assumed, expires }: Holder, end: () => void): NodeJS.Timeout | undefined {
    if (!caller.access.options.disconnectExpiredCert && assumed.length === 0) return undefined
    return setTimeout(end, Math.min(Math.max(0, expires - deps.clock.now()), 2 ** 31 - 1))
  }

  function list({ caller }: Visitor, response: ServerResponse): void {
    const items = [...deps.clusters.all()]
      .map((cluster) => ({ ...cluster, access: accessTo(caller, 'kube_cluster', cluster.name) }))
      .filter(({ access, labels }) => access.canSee('kube_cluster', labels))
      .map(({ name, labels, access }) => ({
        name,
        labels,
        users: namesOf(access, labels, 'kubernetes_users'),
        groups: namesOf(access, labels, 'kubernetes_groups'),
      }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    answer(response, 200, { items })
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
      const visitor = await visitorOf(client, place.cluster)
      const facts = { method: request.method ?? 'GET', path: place.path, cluster: place.cluster }
      const admitted = await admit(request, visitor, facts)
      const expiry = expiresWith(visitor, client.holder, () => connection.destroy())
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
    for (const [connection, { holder }] of clients) if (holder.username === name) connection.destroy()
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

/** Of an address, the name of the cluster and what is asked of it. Throws not found. */
function locate(url: string): { cluster: string; path: string } {
  const rest = url.startsWith(kubePath) ? url.slice(kubePath.length) : undefined
  if (rest === '' || rest === '/') return { cluster: '', path: '' }
  const [, name = '', path = ''] = /^\/([^/?]+)(.*)$/s.exec(rest ?? '') ?? []
  if (name === '') throw notFound(`there is nothing here: clusters are below ${kubePath}/`)
  try {
    return { cluster: decodeURIComponent(name), path: path === '' || path.startsWith('?') ? `/${path}` : path }
  } catch (cause) {
    throw badParameter('the name of the cluster is not valid', { cause })
  }
}

/** kubectl looks around first, and shows of what refuses it then nothing but plain text. */
const isDiscovery = (url: string): boolean => !/^\/[^/]+\/(api\/[^/]+|apis\/[^/]+\/[^/]+)\/./.test(pathOnly(url).slice(kubePath.length))

const pathOnly = (target: string): string => target.split('?', 1)[0] ?? ''

function answer(response: ServerResponse, code: number, body: unknown): void {
  const bytes = Buffer.from(JSON.stringify(body))
  response.writeHead(code, { 'content-type': 'application/json', 'content-length': bytes.length, 'cache-control': 'no-store' })
  response.end(bytes)
}

function answerText(response: ServerResponse, code: number, text: string): void {
  response.writeHead(code, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
  response.end(`${text}\n`)
}

/** An answer on a connection that was about to change its protocol. */
function endRaw(connection: Duplex, code: number, body: string): void {
  connection.end(
    `HTTP/1.1 ${code} Refused\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}
