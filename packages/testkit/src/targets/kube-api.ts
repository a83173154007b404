/**
 * A small Kubernetes API server on loopback, for tests: TLS, one service token, impersonation that it obeys and remembers,
 * pods of a few namespaces, watches, logs, and commands in pods on this machine over the real streaming protocol.
 */
import { spawn as spawnProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawn } from '@lydell/node-pty'
import { WebSocketServer } from 'ws'
import type { WebSocket } from 'ws'
import { makeCertificate } from './certificate.ts'

export interface Seen {
  method: string
  path: string
  user: string
  groups: readonly string[]
}

export interface KubeApi extends AsyncDisposable {
  /** A kubeconfig with the token of the service account. */
  readonly kubeconfig: string
  /** For an agent that has credentials of its own. */
  readonly inCluster: { uri: string; spec: { token_file: string; ca_file: string } }
  /** Requests that carried the token, the newest last. */
  readonly seen: Seen[]
  /** Tells everybody who watches of a pod. */
  announce(type: 'ADDED' | 'MODIFIED' | 'DELETED', namespace: string, name: string): void
  /** A line more in the log of every pod. */
  log(line: string): void
}

const token = 'service-account-token-of-the-test'
const protocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io']
/** Whom the cluster's own rules let do anything. */
const trusted = new Set(['system:masters', 'developers'])

const pod = (namespace: string, name: string) => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name, namespace, uid: `${namespace}-${name}`, resourceVersion: '1', labels: { app: name } },
  spec: { containers: [{ name: 'main', image: 'busybox' }] },
  status: { phase: 'Running', containerStatuses: [{ name: 'main', ready: true, restartCount: 0 }] },
})
type Pod = ReturnType<typeof pod>

/** `pods`: names by namespace. */
export async function startKubeApi(
  pods: Readonly<Record<string, readonly string[]>> = { default: ['web-1', 'web-2', 'db-1'], kube: ['dns-1'] },
): Promise<KubeApi> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-kube-'))
  const files = await makeCertificate(folder, { names: ['kubernetes'], addresses: ['127.0.0.1'] })
  const all = Object.entries(pods).flatMap(([namespace, names]) => names.map((name) => pod(namespace, name)))
  const seen: Seen[] = []
  const watchers = new Set<{ namespace: string; response: ServerResponse }>()
  const followers = new Set<ServerResponse>()
  const logs = ['first line']

  const server = createServer({ cert: await readFile(files.certFile), key: await readFile(files.keyFile) })
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => protocols.find((name) => offered.has(name)) ?? false,
  })

  /** Undefined when the answer has been given: without the token, or against the rules of the cluster. */
  function admit(request: IncomingMessage): { seen: Seen; refusal?: object } | undefined {
    if (request.headers.authorization !== `Bearer ${token}`) return undefined
    const { headersDistinct } = request
    const who = {
      method: request.method ?? '',
      path: (request.url ?? '').split('?', 1)[0] ?? '',
      user: headersDistinct['impersonate-user']?.[0] ?? '',
      groups: headersDistinct['impersonate-group'] ?? [],
    }
    seen.push(who)
    const mayAll = who.groups.some((group) => trusted.has(group))
    if (mayAll || !who.path.includes('/namespaces/')) return { seen: who }
    return { seen: who, refusal: status(403, `User "${who.user}" cannot do that in this namespace`) }
  }

  function serve(request: IncomingMessage, response: ServerResponse): void {
    const admitted = admit(request)
    if (!admitted) return send(response, 401, status(401, 'Unauthorized'))
    if (admitted.refusal) return send(response, 403, admitted.refusal)
    const url = new URL(request.url ?? '/', 'http://kubernetes')
    if (request.method === 'POST') return void echo(request, response)
    const [, , , first, namespace = '', resource, name, subresource] = url.pathname.split('/')
    if (url.pathname === '/version') return send(response, 200, { major: '1', minor: '32', gitVersion: 'v1.32.0' })
    if (url.pathname === '/api') return send(response, 200, { kind: 'APIVersions', versions: ['v1'] })
    if (url.pathname === '/apis') return send(response, 200, { kind: 'APIGroupList', apiVersion: 'v1', groups: [] })
    if (url.pathname === '/api/v1') return send(response, 200, { kind: 'APIResourceList', groupVersion: 'v1', resources: kinds })
    if (url.pathname === '/api/v1/namespaces')
      return send(
        response,
        200,
        list(
          'Namespace',
          Object.keys(pods).map((each) => ({ metadata: { name: each } })),
        ),
      )
    const place = first === 'namespaces' ? namespace : ''
    const ofPlace = all.filter(({ metadata }) => place === '' || metadata.namespace === place)
    const isPods = first === 'pods' || resource === 'pods'
    if (!isPods) return send(response, 404, status(404, 'the server could not find the requested resource'))
    if (first === 'pods' || name === undefined) return collection(url, response, place, ofPlace, request.headers.accept ?? '')
    const found = ofPlace.find(({ metadata }) => metadata.name === name)
    if (!found) return send(response, 404, status(404, `pods "${name}" not found`))
    if (subresource === 'log') return followLog(url, response)
    send(response, 200, request.headers.accept?.includes('as=Table') ? table([found]) : found)
  }

  function collection(url: URL, response: ServerResponse, namespace: string, items: readonly Pod[], accept: string): void {
    if (!url.searchParams.has('watch')) return send(response, 200, accept.includes('as=Table') ? table(items) : list('Pod', items))
    response.writeHead(200, { 'content-type': 'application/json' })
    response.flushHeaders()
    const watcher = { namespace, response }
    watchers.add(watcher)
    response.once('close', () => watchers.delete(watcher))
  }

  function followLog(url: URL, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/plain' })
    response.write(logs.map((line) => `${line}\n`).join(''))
    if (!url.searchParams.has('follow')) return void response.end()
    followers.add(response)
    response.once('close', () => followers.delete(response))
  }

  server.on('request', serve)
  server.on('upgrade', (request, connection, head) => {
    const admitted = admit(request)
    const url = new URL(request.url ?? '/', 'http://kubernetes')
    const [, , , , namespace, , name, way] = url.pathname.split('/')
    const isThere = all.some(({ metadata }) => metadata.namespace === namespace && metadata.name === name)
    const refusal = admitted
      ? (admitted.refusal ?? (isThere ? undefined : status(404, `pods "${name}" not found`)))
      : status(401, 'Unauthorized')
    if (refusal) {
      const body = JSON.stringify(refusal)
      return connection.end(
        `HTTP/1.1 ${(refusal as { code: number }).code} No\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      )
    }
    if (way === 'portforward') {
      connection.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n')
      connection.write(head)
      return connection.pipe(connection)
    }
    sockets.handleUpgrade(request, connection, head, (socket) => runCommand(socket, url))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await writeFile(join(folder, 'token'), `${token}\n`)
  const ca = (await readFile(files.caFile)).toString('base64')
  return {
    kubeconfig: [
      'apiVersion: v1',
      'kind: Config',
      'current-context: test',
      'contexts: [{name: test, context: {cluster: test, user: service}}]',
      `clusters: [{name: test, cluster: {server: "https://127.0.0.1:${port}", tls-server-name: kubernetes, certificate-authority-data: ${ca}}}]`,
      `users: [{name: service, user: {token: ${token}}}]`,
      '',
    ].join('\n'),
    inCluster: { uri: `https://127.0.0.1:${port}`, spec: { token_file: join(folder, 'token'), ca_file: files.caFile } },
    seen,
    announce(type, namespace, name) {
      const event = `${JSON.stringify({ type, object: pod(namespace, name) })}\n`
      for (const watcher of watchers) if (watcher.namespace === '' || watcher.namespace === namespace) watcher.response.write(event)
    },
    log(line) {
      logs.push(line)
      for (const follower of followers) follower.write(`${line}\n`)
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets.clients) socket.terminate()
      server.closeAllConnections()
      server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const kinds = [
  {
    name: 'pods',
    singularName: 'pod',
    namespaced: true,
    kind: 'Pod',
    verbs: ['get', 'list', 'watch', 'create', 'delete'],
    shortNames: ['po'],
  },
  { name: 'namespaces', singularName: 'namespace', namespaced: false, kind: 'Namespace', verbs: ['get', 'list'], shortNames: ['ns'] },
]

const status = (code: number, message: string) => ({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code })
const list = (kind: string, items: readonly object[]) => ({
  kind: `${kind}List`,
  apiVersion: 'v1',
  metadata: { resourceVersion: '1' },
  items,
})
const table = (items: readonly Pod[]) => ({
  kind: 'Table',
  apiVersion: 'meta.k8s.io/v1',
  metadata: { resourceVersion: '1' },
  columnDefinitions: [{ name: 'Name', type: 'string', format: 'name', description: '', priority: 0 }],
  rows: items.map(({ metadata }) => ({
    cells: [metadata.name],
    object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata },
  })),
})

function send(response: ServerResponse, code: number, body: object): void {
  response.writeHead(code, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

/** What was sent, as the answer, as it comes. */
async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.writeHead(201, { 'content-type': 'application/json' })
  for await (const part of request as AsyncIterable<Buffer>) if (!response.write(part)) await once(response, 'drain')
  response.end()
}

const closeChannel = 255
const on = (channel: number, text: Uint8Array): Buffer => Buffer.concat([Buffer.of(channel), text])

/** A command of this machine stands for one in the pod. */
function runCommand(socket: WebSocket, url: URL): void {
  const [program = 'sh', ...args] = url.searchParams.getAll('command')
  const end = (code: number): void => {
    const failed = {
      status: 'Failure',
      reason: 'NonZeroExitCode',
      message: 'failed',
      details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
    }
    socket.send(on(3, Buffer.from(JSON.stringify({ metadata: {}, ...(code === 0 ? { status: 'Success' } : failed) }))))
    socket.close(1000)
  }
  const receive = (take: (channel: number, bytes: Buffer) => void): void =>
    void socket.on('message', (data: Buffer) => take(data[0] ?? 0, data.subarray(1)))
  const env = { PATH: process.env['PATH'] ?? '', TERM: 'xterm', PS1: 'pod$ ' }
  if (url.searchParams.get('tty') === 'true') {
    const terminal = spawn(program, args, { cols: 80, rows: 24, env, encoding: null })
    terminal.onData((data) => socket.send(on(1, Buffer.from(data))))
    terminal.onExit(({ exitCode }) => end(exitCode))
    socket.once('close', () => terminal.kill('SIGKILL'))
    return receive((channel, bytes) => {
      if (channel === 0) terminal.write(bytes.toString('utf8'))
      if (channel !== 4) return
      const { Width, Height } = JSON.parse(bytes.toString('utf8')) as { Width: number; Height: number }
      terminal.resize(Width, Height)
    })
  }
  const child = spawnProcess(program, args, { env })
  child.stdout.on('data', (bytes: Buffer) => socket.send(on(1, bytes)))
  child.stderr.on('data', (bytes: Buffer) => socket.send(on(2, bytes)))
  child.once('close', (code) => end(code ?? 255))
  socket.once('close', () => child.kill('SIGKILL'))
  if (url.searchParams.get('stdin') !== 'true') child.stdin.end()
  receive((channel, bytes) => {
    if (channel === 0) child.stdin.write(bytes)
    if (channel === closeChannel) child.stdin.end()
  })
}
