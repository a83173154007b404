/** A proxy alone, and agents of hosts in this process that come to it over real sockets. */
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCredentials } from '@sallyport/agent/credentials.ts'
import type { Credentials } from '@sallyport/agent/credentials.ts'
import { joinCluster } from '@sallyport/agent/join.ts'
import type { AgentLog } from '@sallyport/agent/log.ts'
import { startService } from '@sallyport/agent/service.ts'
import { parseSettings } from '@sallyport/agent/settings.ts'
import { ask } from '@sallyport/cli/admin-client.ts'
import { configOf } from '@sallyport/proxy/config.ts'
import type { Clock } from '@sallyport/proxy/core/clock.ts'
import { createLog } from '@sallyport/proxy/core/log.ts'
import { startProxy } from '@sallyport/proxy/main.ts'
import type { Proxy } from '@sallyport/proxy/main.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { bareHome } from './bare-home.ts'
import { makeCertificate } from './targets/certificate.ts'
import type { CertificateChoice, CertificateFiles } from './targets/certificate.ts'

export interface AgentCluster extends AsyncDisposable {
  readonly dataDir: string
  /** The running one. */
  proxy(): Proxy
  /** Where agents reach whichever is running: an address that nobody else can take while none is. */
  readonly origin: string
  readonly certificate: CertificateFiles
  newToken(): Promise<string>
  stopProxy(): Promise<void>
  /** With the same state. */
  startProxyAgain(): Promise<void>
}

export interface ClusterOptions {
  tls?: boolean | Partial<CertificateChoice>
  settings?: Omit<Parameters<typeof configOf>[0], 'listen' | 'dataDir'>
  clock?: Clock
}

export async function startAgentCluster({ tls = false, settings = {}, clock }: ClusterOptions = {}): Promise<AgentCluster> {
  const dataDir = await mkdtemp(join(tmpdir(), 'sallyport-cluster-'))
  const certificate = await makeCertificate(dataDir, {
    names: ['localhost'],
    addresses: ['127.0.0.1'],
    ...(tls === true || tls === false ? {} : tls),
  })
  const files = tls === false ? {} : { tlsCert: certificate.certFile, tlsKey: certificate.keyFile }
  const begin = (): Promise<Proxy> =>
    startProxy(configOf({ logLevel: 'silent', ...settings, ...files, listen: '127.0.0.1:0', dataDir }), {
      log: createLog('silent'),
      ...(clock && { clock }),
    })
  let proxy: Proxy | undefined = await begin()
  const running = (): Proxy => {
    if (!proxy) throw new Error('the proxy is stopped')
    return proxy
  }
  const stopProxy = async (): Promise<void> => {
    await proxy?.[Symbol.asyncDispose]()
    proxy = undefined
  }
  const front = createServer((socket) => {
    if (!proxy) return void socket.destroy()
    const onward = connect({ host: '127.0.0.1', port: proxy.address.port, noDelay: true })
    socket.setNoDelay(true).pipe(onward).pipe(socket)
    socket.on('error', () => {}).once('close', () => onward.destroy())
    onward.on('error', () => {}).once('close', () => socket.destroy())
  })
  await once(front.listen(0, '127.0.0.1'), 'listening')
  return {
    dataDir,
    proxy: running,
    origin: `${tls === false ? 'http' : 'https'}://localhost:${(front.address() as AddressInfo).port}`,
    certificate,
    newToken: async () => (await ask(dataDir, adminCalls.addToken, { roles: ['node'], ttl: 3600 })).token,
    stopProxy,
    async startProxyAgain() {
      proxy = await begin()
    },
    async [Symbol.asyncDispose]() {
      await stopProxy()
      await new Promise((resolve) => front.close(resolve))
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

export interface LocalHost extends AsyncDisposable {
  readonly dataDir: string
  readonly hostId: string
  readonly log: LogLines
  credentials(): Promise<Credentials>
  /** Its identity goes with it when the host is disposed. */
  startAgent(options?: { dataDir?: string; log?: LogLines; random?: () => number; clock?: Clock }): Promise<AsyncDisposable>
}

/** A host that has joined; its agent is not started. */
export async function joinLocalHost(
  cluster: AgentCluster,
  options: { origin?: string; settings?: Record<string, unknown>; token?: string } = {},
): Promise<LocalHost> {
  const { origin = cluster.origin, settings = {} } = options
  const dataDir = await mkdtemp(join(tmpdir(), 'sallyport-host-'))
  const trust = origin.startsWith('https') ? { caFile: cluster.certificate.caFile } : {}
  const parsed = parseSettings({ proxies: [origin], hostname: 'host', environment: { HOME: bareHome }, ...trust, ...settings }, 'test')
  try {
    await joinCluster({ dataDir, token: options.token ?? (await cluster.newToken()), settings: parsed })
  } catch (error) {
    await rm(dataDir, { recursive: true, force: true })
    throw error
  }
  const ownLog = createLogLines()
  return {
    dataDir,
    hostId: (await readFile(join(dataDir, 'host-id'), 'utf8')).trim(),
    log: ownLog,
    credentials: () => openCredentials(dataDir),
    // Without delay: tests wait for what happens, not for how long.
    startAgent: ({ dataDir: from = dataDir, log = ownLog, random = () => 0.001, clock } = {}) =>
      startService({ dataDir: from, log, random, env: process.env, ...(clock && { clock }) }),
    [Symbol.asyncDispose]: () => rm(dataDir, { recursive: true, force: true }),
  }
}

export interface LogLines extends AgentLog {
  readonly lines: { message: string; [field: string]: unknown }[]
  /** Resolves with the fields of the `count`th line of that message. */
  logged(message: string, count?: number): Promise<Record<string, unknown>>
}

export function createLogLines(): LogLines {
  const lines: LogLines['lines'] = []
  const waiting = new Set<() => void>()
  const write = (fields: object, message: string): void => {
    lines.push({ ...fields, message })
    for (const look of [...waiting]) look()
  }
  return {
    lines,
    debug: write,
    info: write,
    warn: write,
    error: write,
    logged: (message, count = 1) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = lines.filter((line) => line.message === message)[count - 1]
          if (!found) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      }),
  }
}
