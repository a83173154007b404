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
import { nativeAppHost, nativeNodes, nodeListSubsystem } from '@sallyport/wire/native-ssh.ts'
import type { NativeNode } from '@sallyport/wire/native-ssh.ts'
import { CommandError } from '../command-error.ts'
import { filesOf, homeFolder, readExpiry, readProfile } from '../key-files.ts'
import type { Profile } from '../key-files.ts'
import { callProxy } from '../proxy-client.ts'
import { proxyAlias, sshConfig } from '../ssh-config.ts'
import type { SshAccess } from '../ssh-config.ts'
import { joinAsBot } from './bot.ts'
import { confirmSession, login, sshOf } from './login.ts'

/** A certificate with less than this left is renewed first. */
const leastTime = 30_000
const headlessFlag = '--headless'

/** Prints the configuration for ~/.ssh/config. */
export async function printConfig(): Promise<void> {
  const access = await readAccess(await requireProfile())
  process.stdout.write(sshConfig(access, `*.${access.cluster}`))
}

/**
 * Runs ssh or scp with all arguments as they are, but for our own flag in front; ends with its status. `target`: what is added
 * to them, for those who know the cluster's name only here.
 */
export async function runOpenSsh(program: 'ssh' | 'scp', args: readonly string[], target?: (cluster: string) => string): Promise<void> {
  const isConfirmed = args[0] === headlessFlag
  const rest = isConfirmed ? args.slice(1) : args
  if (rest.length === 0)
    throw new CommandError(`Name a server: sallyport ${program} ${program === 'ssh' ? 'root@web-1' : 'file root@web-1:'}`)
  await withSsh(isConfirmed, async ({ config, cluster }) => {
    // Ctrl-C is for the program that has the terminal.
    process.on('SIGINT', () => undefined)
    process.exitCode = await run(program, ['-F', config, ...rest, ...(target ? [target(cluster)] : [])])
  })
}

/** Lends a configuration of OpenSSH, in a folder that is gone afterwards. */
export async function withSsh(
  isConfirmed: boolean,
  lend: (ssh: { folder: string; config: string; cluster: string }) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(homeFolder(), 'session-')).catch((cause: unknown) => {
    throw notSignedIn(cause)
  })
  try {
    const profile = isConfirmed ? await requireProfile() : await signedIn()
    const access = await readAccess(profile)
    const files = isConfirmed ? await confirmSession(profile, folder) : access.files
    const config = join(folder, 'config')
    await writeFile(config, sshConfig({ ...access, files }, '*'), { mode: 0o600 })
    await lend({ folder, config, cluster: access.cluster })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Opens a port of this machine for a TCP application, until it is stopped. */
export async function proxyApp(name: string, { port, headless = false }: { port?: number; headless?: boolean }): Promise<void> {
  const local = port ?? (await freePort())
  const forward = `127.0.0.1:${local}:${nativeAppHost(name)}:1`
  console.log(`${name} is reached at 127.0.0.1:${local} while this runs; Ctrl-C ends it.`)
  await runOpenSsh('ssh', [...(headless ? [headlessFlag] : []), '-N', '-o', 'ExitOnForwardFailure=yes', '-L', forward], proxyAlias)
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
export async function listServers({ format = 'text' }: { format?: string }): Promise<void> {
  const nodes = await readServers()
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

const readServers = async (): Promise<NativeNode[]> => readList(nativeNodes, nodeListSubsystem)

/** What the proxy tells over SSH of what one may reach. */
export async function readList<T>(schema: z.ZodMiniType<T>, subsystem: string): Promise<T> {
  const access = await readAccess(await signedIn())
  const folder = await mkdtemp(join(homeFolder(), 'session-'))
  try {
    const config = join(folder, 'config')
    await writeFile(config, sshConfig(access, '*'), { mode: 0o600 })
    const child = spawn('ssh', ['-F', config, '-s', proxyAlias(access.cluster), subsystem], { stdio: ['ignore', 'pipe', 'inherit'] })
    child.once('error', () => child.stdout.destroy())
    const closed = once(child, 'close')
    const answer = await text(child.stdout)
    const [code] = (await closed) as [number | null]
    const parsed = code === 0 ? schema.safeParse(JSON.parse(answer)) : undefined
    if (!parsed?.success)
      throw new CommandError('The proxy did not tell what is there. Is it reached over SSH? "sallyport config" shows where.')
    return parsed.data
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
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

/** Signs in anew when the certificate is gone or runs out. */
export async function signedIn(): Promise<Profile> {
  const profile = await requireProfile()
  const expires = await readExpiry(filesOf(profile))
  if (expires !== undefined && expires - Date.now() > leastTime) return profile
  console.error(`The certificate of ${profile.user} for ${profile.origin} has expired.`)
  const { origin: proxy, connector, user, bot } = profile
  if (bot) {
    await joinAsBot(bot.name, { proxy, tokenFile: bot.tokenFile })
    return requireProfile()
  }
  await login(connector === undefined ? { proxy, user } : { proxy, connector })
  return requireProfile()
}

async function readAccess(profile: Profile): Promise<SshAccess> {
  const { cluster, ssh } =
    profile.cluster !== undefined && profile.ssh !== undefined ? profile : sshOf(await callProxy(profile.origin, ping), profile.origin)
  return { profile, cluster: cluster ?? '', address: ssh ?? '', files: filesOf(profile) }
}
