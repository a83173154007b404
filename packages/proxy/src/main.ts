/** Starts a proxy: settings in, a running server out. */
import { access, constants, mkdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { adminSocketName } from '@sallyport/wire/admin.ts'
import { isLoopback } from './config.ts'
import type { Config } from './config.ts'
import { createContext } from './context.ts'
import type { Context } from './context.ts'
import { systemClock } from './core/clock.ts'
import type { Clock } from './core/clock.ts'
import { inviteFirstAdministrator } from './core/identity/first-start.ts'
import { createLog } from './core/log.ts'
import type { Log } from './core/log.ts'
import { lateSite, publicOrigin } from './core/site.ts'
import { claimAdminSocket } from './http/admin.ts'
import { createApp } from './http/app.ts'
import { countPassingMemory } from './passing-memory.ts'
import { listenForSsh } from './ssh-port.ts'
import { StartError } from './start-error.ts'

export interface Proxy extends AsyncDisposable, Pick<Context, 'authorities' | 'inventory' | 'dialer' | 'agentTunnels' | 'audit' | 'locks'> {
  /** Where browsers reach it. */
  readonly publicUrl: string
  readonly address: { readonly host: string; readonly port: number }
  /** The link with which the first administrator sets up their account; only at the very first start. */
  readonly firstInvite: string | undefined
}

export interface ProxyOptions {
  clock?: Clock
  log?: Log
}

/** Resolves when the proxy answers. Throws StartError, StoreError or ConfigError: sentences for whoever started it. */
export async function startProxy(config: Config, options: ProxyOptions = {}): Promise<Proxy> {
  countPassingMemory()
  const clock = options.clock ?? systemClock
  const log = options.log ?? createLog(config.logLevel)
  await prepareDataDir(config.dataDir)
  await using starting = new AsyncDisposableStack()
  const { site, settle } = lateSite()
  const admin = starting.use(await claimAdminSocket(join(config.dataDir, adminSocketName)))
  const context = starting.use(await createContext({ config, clock, log, site }))
  const app = starting.use(await createApp(context))
  const settleAt = (port: number): void =>
    settle(
      publicOrigin({
        publicAddr: config.publicAddr,
        host: config.listen.host,
        port,
        tls: config.tlsCert !== undefined,
        loopback: isLoopback(config.listen.host),
      }),
    )
  // Known before the first request, unless the system is to choose the port.
  if (config.listen.port !== 0) settleAt(config.listen.port)
  const address = await app.listen(config.listen)
  settleAt(address.port)
  if (config.sshListen) starting.use(await listenForSsh(config.sshListen, context.nativeSsh.accept))
  const inviteToken = await inviteFirstAdministrator(context.users, context.accounts)
  await admin.serve(context)
  const running = starting.move()
  return {
    publicUrl: site.origin,
    address,
    firstInvite: inviteToken === undefined ? undefined : site.inviteUrl(inviteToken),
    authorities: context.authorities,
    inventory: context.inventory,
    dialer: context.dialer,
    agentTunnels: context.agentTunnels,
    audit: context.audit,
    locks: context.locks,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

async function prepareDataDir(dataDir: string): Promise<void> {
  try {
    await makeFolder(dataDir)
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (cause) {
    throw new StartError(
      'data-dir',
      `The data directory ${dataDir} cannot be written; make it writable for this user or choose another with --data-dir.`,
      { cause },
    )
  }
}

/** Makes a folder and those above it. Node's own recursive way never comes back below /proc. */
async function makeFolder(path: string): Promise<void> {
  const exists = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (exists) return
  if (dirname(path) !== path) await makeFolder(dirname(path))
  await mkdir(path, { mode: 0o700 })
}
