/** Kubernetes clusters on a person's own machine: kubectl's configuration, and the certificate that it asks for with each start. */
import { spawn } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { callPath, callSearch } from '@sallyport/wire/call.ts'
import { exportAuthority } from '@sallyport/wire/calls/certificates.ts'
import { kubeListWire, kubePath, kubeServerName } from '@sallyport/wire/kubernetes.ts'
import type { z } from 'zod'
import { CommandError } from '../command-error.ts'
import { filesOf, homeFolder, readExpiry } from '../key-files.ts'
import type { KeyFiles, Profile } from '../key-files.ts'
import { confirmSession } from './login.ts'
import { leafOf, readAccess, readList, requireProfile, signedIn } from './ssh.ts'

const execVersion = 'client.authentication.k8s.io/v1'
/** A certificate with less than this left is not handed to kubectl. */
const leastTime = 5_000

type Cluster = NonNullable<z.output<typeof kubeListWire>['items']>[number]

export async function listClusters({ format = 'text', cluster: where }: { format?: string; cluster?: string }): Promise<void> {
  const clusters = await readClusters(await signedIn(), where)
  if (format === 'json') return console.log(JSON.stringify(clusters, undefined, 2))
  for (const { name, users, groups, labels } of clusters) {
    const shown = Object.entries(labels).map(([key, value]) => `${key}=${value}`)
    console.log(
      printable([name, `users ${users.join(',') || '(you)'}`, `groups ${groups.join(',') || '-'}`, shown.join(',')].join('  ')).trimEnd(),
    )
  }
}

/** Names come from others: they must not steer the terminal. */
const printable = (line: string): string => line.replaceAll(/\p{C}/gu, '?')

export interface KubeLoginOptions {
  /** File for kubectl; its own when left out. */
  kubeconfig?: string
  /** Each start of kubectl is confirmed in a browser. */
  headless?: boolean
  /** Which cluster of this product serves it; the current one when left out. */
  cluster?: string
}

/** Writes a context for kubectl, by kubectl's own hand, and makes it the current one. */
export async function loginToCluster(name: string, { kubeconfig, headless = false, cluster: where }: KubeLoginOptions): Promise<void> {
  const profile = await signedIn()
  const clusters = await readClusters(profile, where)
  if (!clusters.some((cluster) => cluster.name === name))
    throw new CommandError(`There is no Kubernetes cluster ${name} that you may reach. "sallyport kube ls" lists those that you may.`)
  const leaf = leafOf(await readAccess(profile), where)
  const fullName = leaf === undefined ? name : `${name}.${leaf}`
  const url = new URL(profile.origin)
  const context = `${url.hostname}-${fullName}`
  const folder = await mkdtemp(join(homeFolder(), 'session-'))
  try {
    const authority = join(folder, 'authority.pem')
    await writeFile(authority, await readAuthority(profile))
    const file = kubeconfig === undefined ? [] : ['--kubeconfig', kubeconfig]
    const port = url.port || (url.protocol === 'https:' ? '443' : '80')
    const server = `https://${url.hostname}:${port}${kubePath}/${encodeURIComponent(fullName)}`
    const plugin = [process.execPath, ...programArguments(), 'kube', 'credentials', ...(headless ? ['--headless'] : [])]
    await kubectl([
      ...file,
      'config',
      'set-cluster',
      context,
      `--server=${server}`,
      `--tls-server-name=${kubeServerName}`,
      `--certificate-authority=${authority}`,
      '--embed-certs=true',
    ])
    await kubectl([
      ...file,
      'config',
      'set-credentials',
      context,
      `--exec-api-version=${execVersion}`,
      `--exec-command=${plugin[0]}`,
      ...plugin.slice(1).map((argument) => `--exec-arg=${argument}`),
      '--exec-interactive-mode=IfAvailable',
      ...(process.env['SALLYPORT_HOME'] ? [`--exec-env=SALLYPORT_HOME=${process.env['SALLYPORT_HOME']}`] : []),
    ])
    await kubectl([...file, 'config', 'set-context', context, `--cluster=${context}`, `--user=${context}`])
    await kubectl([...file, 'config', 'use-context', context])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  console.log(`kubectl uses ${name} now, in the context ${context}. Try: kubectl get pods`)
}

/** How this program was started, for those who start it again. */
function programArguments(): string[] {
  const [, script = ''] = process.argv
  return [...process.execArgv, script]
}

/** Answers kubectl's question for credentials. */
export async function printCredentials({ headless = false }: { headless?: boolean }): Promise<void> {
  const profile = await requireProfile()
  if (!headless) return print(await freshFiles(profile))
  await mkdir(homeFolder(), { recursive: true, mode: 0o700 })
  const folder = await mkdtemp(join(homeFolder(), 'session-'))
  try {
    await print(await confirmSession(await readAccess(profile), folder))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function freshFiles(profile: Profile): Promise<KeyFiles> {
  const files = filesOf(profile)
  const expires = await readExpiry(files)
  if (expires !== undefined && expires - Date.now() > leastTime) return files
  throw new CommandError(`The certificate of ${profile.user} has expired. Sign in again: sallyport login --proxy ${profile.origin}`)
}

async function print({ privateKey, tlsCertificate }: KeyFiles): Promise<void> {
  const [clientKeyData, clientCertificateData] = await Promise.all([readFile(privateKey, 'utf8'), readFile(tlsCertificate, 'utf8')])
  const expirationTimestamp = new Date(new X509Certificate(clientCertificateData).validTo).toISOString()
  console.log(
    JSON.stringify({
      apiVersion: execVersion,
      kind: 'ExecCredential',
      status: { clientCertificateData, clientKeyData, expirationTimestamp },
    }),
  )
}

async function readAuthority({ origin }: Profile): Promise<string> {
  const response = await fetch(origin + callPath(exportAuthority.path, {}) + callSearch({ type: 'tls-user' })).catch((cause: unknown) => {
    throw new CommandError(`The proxy at ${origin} cannot be reached.`, { cause })
  })
  if (!response.ok) throw new CommandError(`${origin} answered ${response.status}: is it a Sallyport proxy?`)
  return response.text()
}

/** A leaf has no port for this machine: it is asked over SSH. */
async function readClusters(profile: Profile, where: string | undefined): Promise<Cluster[]> {
  if (leafOf(await readAccess(profile), where) !== undefined)
    return (await readList(kubeListWire, '', { cluster: where, list: 'kubes' })).items
  const { hostname, port, protocol } = new URL(profile.origin)
  const files = filesOf(profile)
  const [ca, key, cert] = await Promise.all([
    readAuthority(profile),
    readFile(files.privateKey, 'utf8'),
    readFile(files.tlsCertificate, 'utf8'),
  ])
  const asked = request({
    host: hostname.replaceAll(/[[\]]/g, ''),
    port: port || (protocol === 'https:' ? 443 : 80),
    path: kubePath,
    ca,
    key,
    cert,
    servername: kubeServerName,
    agent: false,
  })
  asked.end()
  const [answer] = (await once(asked, 'response').catch((cause: unknown) => {
    throw new CommandError(
      `The proxy at ${profile.origin} does not answer for Kubernetes: ${cause instanceof Error ? cause.message : String(cause)}.`,
      { cause },
    )
  })) as [IncomingMessage]
  const body: unknown = JSON.parse(await text(answer))
  const parsed = kubeListWire.safeParse(body)
  if (!parsed.success) throw new CommandError(`The proxy at ${profile.origin} refused to list its clusters.`)
  return parsed.data.items
}

async function kubectl(args: readonly string[]): Promise<void> {
  const child = spawn('kubectl', args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = Promise.withResolvers<number>()
  child.once('error', (cause) => ended.reject(new CommandError('kubectl cannot be started: install it first.', { cause })))
  child.once('exit', (code) => ended.resolve(code ?? 255))
  if ((await ended.promise) !== 0) throw new CommandError('kubectl did not take the configuration.')
}
