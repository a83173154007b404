/** Starts a proxy: settings in, a running server out. */
import { access, constants, mkdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { adminSocketName } from '@sallyport/wire/admin.ts'
import { isLoopback } from './config.ts'
import type { Config } from './config.ts'
import { createContext } from './context.ts'
import type { Context } from './context.ts'
import { parseDuration } from './core/access/duration.ts'
import { systemClock } from './core/clock.ts'
import type { Clock } from './core/clock.ts'
import { inviteFirstAdministrator } from './core/identity/first-start.ts'
import { createLog } from './core/log.ts'
import type { Log } from './core/log.ts'
import { onlyGeneration } from './core/generations/generation.ts'
import type { Generation } from './core/generations/generation.ts'
import { lateSite, publicOrigin } from './core/site.ts'
import { claimAdminSocket } from './http/admin.ts'
import { createApp } from './http/app.ts'
import { countPassingMemory } from './passing-memory.ts'
import { releasePorts } from './ports.ts'
import type { PassedPort } from './ports.ts'
import { listenForSsh } from './ssh-port.ts'
import { StartError } from './start-error.ts'

export interface Proxy extends AsyncDisposable, Pick<Context, 'authorities' | 'inventory' | 'dialer' | 'agentTunnels' | 'audit' | 'locks'> {
  /** Where browsers reach it. */
  readonly publicUrl: string
  readonly address: { readonly host: string; readonly port: number }
  /** The link with which the first administrator sets up their account; only at the very first start. */
  readonly firstInvite: string | undefined
  /** The sockets that it listens on, for the next generation. */
  passedPorts(): PassedPort[]
  /** Does what only one process may do for all, such as completing what others left behind. The first generation begins with it. */
  lead(): void
  /** Takes nobody in any more, calls, and goes on with what runs. Resolves when that is over, or the time for it is. */
  retire(onSteppedDown: () => void): Promise<void>
}

export interface ProxyOptions {
  clock?: Clock
  log?: Log
  generation?: Generation
  /** Sockets of the generation before. */
  takePorts?: () => Promise<readonly PassedPort[]>
  /** What else has to be there before the first connection is taken in. It ends before the proxy does. */
  beforeServing?: (proxy: Pick<Proxy, 'authorities' | 'inventory' | 'dialer'>) => Promise<AsyncDisposable>
}

/** How often a retired generation looks whether it is done. */
const doneEvery = 250

/** Resolves when the proxy answers. Throws StartError, StoreError or ConfigError: sentences for whoever started it. */
export async function startProxy(config: Config, options: ProxyOptions = {}): Promise<Proxy> {
  countPassingMemory()
  const clock = options.clock ?? systemClock
  const log = options.log ?? createLog(config.logLevel)
  const { generation = onlyGeneration, takePorts = async () => [] } = options
  await prepareDataDir(config.dataDir)
  await using starting = new AsyncDisposableStack()
  const { site, settle } = lateSite()
  const admin = starting.use(await claimAdminSocket(join(config.dataDir, adminSocketName), { takesOver: generation.number > 0 }))
  const context = starting.use(await createContext({ config, clock, log, site, generation }))
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
  // As little as can be comes after the sockets: until then the generation before serves alone.
  const companion = await options.beforeServing?.(context)
  if (companion) starting.use(companion)
  const taken = await takePorts()
  const address = await app.listen(config.listen, taken)
  settleAt(address.port)
  const sshPort = config.sshListen && (await listenForSsh(config.sshListen, context.nativeSsh.accept, taken))
  starting.defer(() => void sshPort?.close())
  const passedPorts = (): PassedPort[] => [...app.passed(), ...(sshPort?.passed() ?? [])]
  releasePorts(taken, passedPorts())
  // Told once, so not before it is sure that this start is none that fails.
  const inviteToken = generation.number === 0 ? await inviteFirstAdministrator(context.users, context.accounts) : undefined
  await admin.serve(context)
  if (generation.number === 0) context.lead()
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
    passedPorts,
    lead: context.lead,
    async retire(onSteppedDown) {
      app.retire()
      void sshPort?.close()
      admin.retire()
      await context.stepDown()
      onSteppedDown()
      const latest = performance.now() + (parseDuration(config.retireAfter) ?? 0)
      while (!(await app.isDone()) && performance.now() < latest) await delay(doneEvery)
    },
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
