/** OpenSSH's programs through the proxy, with the keys of the sign-in. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type * as z from 'zod/mini'
import { ping } from '@sallyport/wire/calls/bootstrap.ts'
import { nativeAppHost, nativeListHost, nativeNodes, nodeListSubsystem } from '@sallyport/wire/native-ssh.ts'
import type { NativeList } from '@sallyport/wire/native-ssh.ts'
import { CommandError } from '../command-error.ts'
import { filesOf, homeFolder, readExpiry, readProfile, saveProfile } from '../key-files.ts'
import type { Profile } from '../key-files.ts'
import { callProxy } from '../proxy-client.ts'
import { canNameCluster, proxyAlias, sshConfig } from '../ssh-config.ts'
import type { SshAccess } from '../ssh-config.ts'
import { joinAsBot } from './bot.ts'
import { confirmSession, login, sshOf } from './login.ts'

/** A certificate with less than this left is renewed first. */
const leastTime = 30_000
const headlessFlag = '--headless'
const clusterFlag = '--cluster'

/** Which cluster is meant, and how a command is confirmed. */
export interface Where {
  /** Each session is confirmed with a key in the browser. */
  headless?: boolean | undefined
  /** One's own cluster or one of its leaves; the current one when left out. */
  cluster?: string | undefined
}

/** Our own flags, which stand in front of those of the program. Throws CommandError. */
export function readFront(args: readonly string[]): { where: Where; rest: readonly string[] } {
  const [first = '', second] = args
  if (first === headlessFlag) return withFront({ headless: true }, args.slice(1))
  if (first.startsWith(`${clusterFlag}=`)) return withFront({ cluster: first.slice(clusterFlag.length + 1) }, args.slice(1))
  if (first !== clusterFlag) return { where: {}, rest: args }
  if (second === undefined) throw new CommandError('Name the cluster: --cluster=leaf')
  return withFront({ cluster: second }, args.slice(2))
}

function withFront(front: Where, args: readonly string[]): ReturnType<typeof readFront> {
  const { where, rest } = readFront(args)
  return { where: { ...front, ...where }, rest }
}

/** Runs ssh or scp with all arguments as they are, but for our own flags in front; ends with its status. */
export async function runOpenSsh(program: 'ssh' | 'scp', args: readonly string[]): Promise<void> {
  const { where, rest } = readFront(args)
  if (rest.length === 0)
    throw new CommandError(`Name a server: sallyport ${program} ${program === 'ssh' ? 'root@web-1' : 'file root@web-1:'}`)
  await withSsh(where, async ({ config }) => {
    // Ctrl-C is for the program that has the terminal.
    process.on('SIGINT', () => undefined)
    process.exitCode = await run(program, ['-F', config, ...rest])
  })
}

export interface LentSsh {
  folder: string
  config: string
  /** What stands for the proxy in the configuration. */
  proxy: string
  /** A name of the cluster that is meant, as the proxy knows it. */
  fullName: (name: string) => string
}

/** Lends a configuration of OpenSSH, in a folder that is gone afterwards. */
export async function withSsh<T>({ headless = false, cluster }: Where, lend: (ssh: LentSsh) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(homeFolder(), 'session-')).catch((cause: unknown) => {
    throw notSignedIn(cause)
  })
  try {
    const profile = headless ? await requireProfile() : await signedIn()
    const access = await readAccess(profile)
    const leaf = leafOf(access, cluster)
    const files = headless ? await confirmSession(access, folder) : access.files
    const config = join(folder, 'config')
    await writeFile(config, sshConfig({ ...access, files }, '*', leaf), { mode: 0o600 })
    const fullName = (name: string): string => (leaf === undefined ? name : `${name}.${leaf}`)
    return await lend({ folder, config, proxy: proxyAlias(access.cluster), fullName })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The leaf that is meant; undefined for the cluster itself. Throws CommandError for what is no name. */
export function leafOf({ profile, cluster: own }: SshAccess, cluster = profile.leaf): string | undefined {
  if (cluster === undefined || cluster === own) return undefined
  if (!canNameCluster(cluster))
    throw new CommandError(`"${cluster}" is no name of a cluster. "sallyport clusters" shows those that there are.`)
  return cluster
}

/** Opens a port of this machine for a TCP application, until it is stopped. */
export async function proxyApp(name: string, { port, ...where }: Where & { port?: number }): Promise<void> {
  const local = port ?? (await freePort())
  await withSsh(where, async ({ config, proxy, fullName }) => {
    console.log(`${name} is reached at 127.0.0.1:${local} while this runs; Ctrl-C ends it.`)
    const forward = `127.0.0.1:${local}:${fullName(nativeAppHost(name))}:1`
    process.on('SIGINT', () => undefined)
    process.exitCode = await run('ssh', ['-F', config, '-N', '-o', 'ExitOnForwardFailure=yes', '-L', forward, proxy])
  })
}

/** A port of this machine that nobody uses now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** The servers that one may reach. */
export async function listServers({ format = 'text', cluster }: { format?: string; cluster?: string }): Promise<void> {
  const nodes = await readList(nativeNodes, nodeListSubsystem, { cluster, list: 'nodes' })
  if (format === 'json') return console.log(JSON.stringify(nodes, undefined, 2))
  const rows = nodes.map(({ hostname, addr, logins, labels }) => [
    hostname,
    addr || '<tunnel>',
    logins.join(','),
    Object.entries(labels)
      .map(([name, value]) => `${name}=${value}`)
      .join(','),
  ])
  printTable([['Server', 'Address', 'Logins', 'Labels'], ...rows])
}

export function printTable(table: readonly (readonly string[])[]): void {
  const widths = (table[0] ?? []).map((_title, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
  for (const row of table)
    console.log(
      row
        .map((cell, column) => printable(cell).padEnd(column === row.length - 1 ? 0 : (widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
}

/** Names come from servers: they must not steer the terminal. */
const printable = (text: string): string => text.replaceAll(/\p{C}/gu, '?')

/** What the proxy tells over SSH of what one may reach. `list`: under which name a leaf has it; what only the proxy itself tells has none. */
export async function readList<T>(
  schema: z.ZodMiniType<T>,
  subsystem: string,
  { cluster, list }: { cluster?: string | undefined; list?: NativeList },
): Promise<T> {
  return withSsh({ cluster }, async ({ config, proxy, fullName }) => {
    const host = list === undefined ? undefined : fullName(nativeListHost(list))
    const isElsewhere = host !== undefined && list !== undefined && host !== nativeListHost(list)
    const asked = isElsewhere ? ['-W', `${host}:1`, proxy] : ['-s', proxy, subsystem]
    const child = spawn('ssh', ['-F', config, ...asked], { stdio: ['ignore', 'pipe', 'inherit'] })
    child.once('error', () => child.stdout.destroy())
    const closed = once(child, 'close')
    const answer = await text(child.stdout)
    const [code] = (await closed) as [number | null]
    const parsed = code === 0 ? schema.safeParse(JSON.parse(answer)) : undefined
    if (parsed?.success) return parsed.data
    throw new CommandError(
      isElsewhere
        ? 'The cluster did not tell what is there. "sallyport clusters" shows whether it is online.'
        : 'The proxy did not tell what is there. Is it reached over SSH? "sallyport config" shows where.',
    )
  })
}

/** Its status. */
export async function run(program: string, args: readonly string[]): Promise<number> {
  const child = spawn(program, args, { stdio: 'inherit' })
  // Whoever ends us means what we run.
  const terminate = (): void => void child.kill()
  process.once('SIGTERM', terminate)
  child.once('exit', () => process.off('SIGTERM', terminate))
  const ended = Promise.withResolvers<number>()
  child.once('error', (cause) =>
    ended.reject(new CommandError(`${program} cannot be started: install it, or put it into the PATH.`, { cause })),
  )
  child.once('exit', (code) => ended.resolve(code ?? 255))
  return ended.promise
}

const notSignedIn = (cause?: unknown): CommandError =>
  new CommandError('Nobody is signed in on this machine: sallyport login --proxy console.example.com', { cause })

export async function requireProfile(): Promise<Profile> {
  const profile = await readProfile()
  if (!profile) throw notSignedIn()
  return profile
}

/** Whether the certificate is good for a while. */
export async function canConnect(profile: Profile): Promise<boolean> {
  const expires = await readExpiry(filesOf(profile))
  return expires !== undefined && expires - Date.now() > leastTime
}

/** Signs in anew when the certificate is gone or runs out. */
export async function signedIn(): Promise<Profile> {
  const profile = await requireProfile()
  if (await canConnect(profile)) return profile
  console.error(`The certificate of ${profile.user} for ${profile.origin} has expired.`)
  const { origin: proxy, connector, user, bot, leaf } = profile
  if (bot) await joinAsBot(bot.name, { proxy, tokenFile: bot.tokenFile })
  else await login(connector === undefined ? { proxy, user } : { proxy, connector })
  const renewed = { ...(await requireProfile()), leaf }
  await saveProfile(renewed)
  return renewed
}

/** How OpenSSH gets to the proxy with the keys of a sign-in. */
export async function readAccess(profile: Profile): Promise<SshAccess> {
  const { cluster, ssh } =
    profile.cluster !== undefined && profile.ssh !== undefined ? profile : sshOf(await callProxy(profile.origin, ping), profile.origin)
  return { profile, cluster: cluster ?? '', address: ssh ?? '', files: filesOf(profile) }
}
