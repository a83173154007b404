/** A person's own machine with what `sallyport login` brings home for Kubernetes: requests, commands in pods, and kubectl itself. */
import { spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { ask } from '@sallyport/cli/admin-client.ts'
import { formatPublicKey } from '@sallyport/protocols/ssh/keys.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { signInCommandLine } from '@sallyport/wire/calls/certificates.ts'
import { kubePath, kubeServerName } from '@sallyport/wire/kubernetes.ts'
import { WebSocket } from 'ws'
import { ApiClient } from './api-client.ts'
import type { Name } from './people.ts'
import { requireProgram } from './targets/programs.ts'
import type { World } from './world.ts'

export const execProtocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io']

export interface KubeAnswer {
  status: number
  body: string
}

export interface KubeFiles {
  key: string
  cert: string
  ca: string
}

/** Stores documents, as `sallyport create -f` does. */
export const saveDocuments = (world: Pick<World, 'dataDir'>, ...documents: object[]) =>
  ask(world.dataDir, adminCalls.saveResources, { parts: documents.map((document) => JSON.stringify(document)), force: true })

export class KubeClient implements AsyncDisposable {
  readonly folder: string
  readonly files: KubeFiles
  readonly #world: World

  constructor(world: World, folder: string, files: KubeFiles) {
    this.#world = world
    this.folder = folder
    this.files = files
  }

  /** `requests`: ids of approved access requests that the certificate assumes. */
  static async signIn(world: World, name: Name, requests: readonly string[] = []): Promise<KubeClient> {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { password, authenticator } = world.person(name)
    const proxy = new ApiClient(world.url)
    const body = {
      user: name,
      password,
      otp_token: await authenticator.code(),
      pub_key: Buffer.from(formatPublicKey(publicKey)).toString('base64'),
      access_requests: [...requests],
    }
    const { tls_cert: cert } = await proxy.call(signInCommandLine, { body })
    const ca = await (await proxy.fetch('/v1/webapi/auth/export?type=tls-user')).text()
    return KubeClient.with(world, {
      key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
      cert: Buffer.from(cert, 'base64').toString(),
      ca,
    })
  }

  static async with(world: World, files: KubeFiles): Promise<KubeClient> {
    return new KubeClient(world, await mkdtemp(join(tmpdir(), 'sallyport-kubectl-')), files)
  }

  get #connection() {
    const { key, cert, ca } = this.files
    const { host, port } = this.#world.proxy.address
    return { host, port, key, cert, ca, servername: kubeServerName, agent: false as const }
  }

  /** The answer as it begins. */
  async open(
    cluster: string,
    path: string,
    { method = 'GET', headers = {}, body }: { method?: string; headers?: Record<string, string | string[]>; body?: string } = {},
  ): Promise<IncomingMessage> {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const asked = request({ ...this.#connection, method, path: `${kubePath}/${cluster}${path}`, headers: { ...headers, ...length } })
    asked.end(body)
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    return answer
  }

  async send(cluster: string, path: string, more: Parameters<KubeClient['open']>[2] = {}): Promise<KubeAnswer> {
    const answer = await this.open(cluster, path, more)
    return { status: answer.statusCode ?? 0, body: await text(answer) }
  }

  /** A command in a pod. */
  exec(cluster: string, pod: string, query: Record<string, string | string[]>, protocols: readonly string[] = execProtocols): ExecStreams {
    const search = new URLSearchParams(
      Object.entries(query).flatMap(([key, value]) => [value].flat().map((each) => [key, each] as [string, string])),
    )
    const { host, port, ...tls } = this.#connection
    const [namespace, name] = pod.split('/')
    const url = `wss://${host}:${port}${kubePath}/${cluster}/api/v1/namespaces/${namespace}/pods/${name}/exec?${search}`
    return new ExecStreams(new WebSocket(url, [...protocols], { ...tls, agent: undefined as never }))
  }

  /** The file for kubectl. */
  async kubeconfig(cluster: string): Promise<string> {
    const file = join(this.folder, 'config')
    const { host, port } = this.#world.proxy.address
    const base64 = (pem: string): string => Buffer.from(pem).toString('base64')
    await writeFile(
      file,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'main',
        contexts: [{ name: 'main', context: { cluster: 'main', user: 'main' } }],
        clusters: [
          {
            name: 'main',
            cluster: {
              server: `https://${host}:${port}${kubePath}/${cluster}`,
              'tls-server-name': kubeServerName,
              'certificate-authority-data': base64(this.files.ca),
            },
          },
        ],
        users: [{ name: 'main', user: { 'client-certificate-data': base64(this.files.cert), 'client-key-data': base64(this.files.key) } }],
      }),
    )
    return file
  }

  async kubectl(cluster: string, args: readonly string[], input = ''): Promise<{ code: unknown; out: string; err: string }> {
    const config = await this.kubeconfig(cluster)
    const child = spawn(requireProgram('kubectl'), ['--kubeconfig', config, '--cache-dir', join(this.folder, 'cache'), ...args], {
      env: { ...process.env, HOME: this.folder },
    })
    child.stdin.on('error', () => undefined) // it ended without reading
    child.stdin.end(input)
    const closed = once(child, 'close')
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
    return { code: ((await closed) as unknown[])[0], out, err }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true })
  }
}

/** The client's end of a command. */
export class ExecStreams {
  readonly socket: WebSocket
  readonly #text = new Map<number, string>()
  /** Resolves with the status that the command ended with, as text; empty when the connection ended without. */
  readonly ended: Promise<string>

  constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (data: Buffer) => {
      const channel = data[0] ?? 0
      this.#text.set(channel, this.of(channel) + data.subarray(1).toString('utf8'))
    })
    socket.on('error', () => undefined) // a close follows
    this.ended = new Promise((resolve) => socket.once('close', () => resolve(this.of(3))))
  }

  of(channel: number): string {
    return this.#text.get(channel) ?? ''
  }

  get output(): string {
    return this.of(1)
  }

  async opened(): Promise<this> {
    if (this.socket.readyState !== WebSocket.OPEN) await once(this.socket, 'open')
    return this
  }

  type(keys: string): void {
    this.socket.send(Buffer.concat([Buffer.of(0), Buffer.from(keys)]))
  }

  endInput(): void {
    this.socket.send(Buffer.of(255, 0))
  }

  resize(columns: number, rows: number): void {
    this.socket.send(Buffer.concat([Buffer.of(4), Buffer.from(JSON.stringify({ Width: columns, Height: rows }))]))
  }
}
