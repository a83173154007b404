/** A machine's agent with its tunnels: what `sallyport agent start` runs. */
import { randomUUID } from 'node:crypto'
import { hostname as systemHostname } from 'node:os'
import { dialTargetOf } from '@sallyport/wire/tunnel.ts'
import type { HeartbeatWire } from '@sallyport/wire/tunnel.ts'
import type { Duplex } from 'node:stream'
import manifest from '../package.json' with { type: 'json' }
import { serveCluster } from './kinds/kube.ts'
import { AgentError } from './agent-error.ts'
import { openCredentials } from './credentials.ts'
import type { Labels } from './labels.ts'
import { whyNotServe } from './launch.ts'
import type { AgentLog } from './log.ts'
import { startAgent } from './main.ts'
import { countPassingMemory } from './passing-memory.ts'
import { readSettings } from './settings.ts'
import type { Settings } from './settings.ts'
import { keepConnected } from './tunnel/keep-connected.ts'
import type { ConnectOptions } from './tunnel/keep-connected.ts'

export interface ServiceOptions extends Pick<ConnectOptions, 'pingEvery' | 'random'> {
  readonly dataDir: string
  readonly log: AgentLog
  readonly clock?: { now(): number }
  /** Variables that labels may name. */
  readonly env: Readonly<Record<string, string | undefined>>
}

const secondsToMs = 1000

/** Resolves when the agent serves and has begun to connect. Throws AgentError. */
export async function startService({ dataDir, log, env, clock = Date, ...connection }: ServiceOptions): Promise<AsyncDisposable> {
  const obstacle = whyNotServe()
  if (obstacle) throw new AgentError(obstacle)
  countPassingMemory()
  const settings = await readSettings(dataDir)
  const credentials = await openCredentials(dataDir)
  const hostname = settings.hostname ?? systemHostname()
  const heartbeats = createHeartbeats()
  await using starting = new AsyncDisposableStack()
  const agent = starting.use(
    startAgent({
      hostId: credentials.hostId,
      hostname,
      labels: { ...settings.labels, ...environmentLabels(settings, env, log) },
      commandLabels: Object.fromEntries(
        Object.entries(settings.commandLabels).map(([name, { command, period }]) => [name, { command, period: period * secondsToMs }]),
      ),
      environment: settings.environment,
      userCa: credentials.userCa,
      hostIdentity: credentials.identity,
      clock,
      log,
      onHeartbeat: ({ os, version, labels }) =>
        heartbeats.publish({
          hostname,
          os,
          version,
          labels: { ...labels },
          resources: settings.resources,
          ...(settings.databases && { databases: settings.databases }),
        }),
    }),
  )
  const introduction = { instance: randomUUID(), hostname, version: manifest.version, credentials }
  const tunnels = new AsyncDisposableStack()
  for (const origin of settings.proxies)
    tunnels.use(
      keepConnected({
        ...connection,
        origin,
        trust: settings,
        introduction,
        accept: settings.ssh ? agent.accept : (stream) => stream.destroy(),
        forward: new Set([...settings.forward, ...settings.resources.flatMap(({ uri }) => dialTargetOf(uri) ?? [])]),
        servesDatabases: settings.databases !== undefined,
        spoken: clustersOf(settings, log),
        onNews: credentials.update,
        heartbeats,
        clock,
        log,
      }),
    )
  // Shells end before the tunnels: their exit is told.
  starting.move()
  return {
    async [Symbol.asyncDispose]() {
      await agent[Symbol.asyncDispose]()
      await tunnels.disposeAsync()
    },
  }
}

/** Clusters get the credentials of this agent added, which no proxy is told. */
const clustersOf = ({ resources }: Settings, log: AgentLog): ReadonlyMap<string, (stream: Duplex) => void> =>
  new Map(
    resources
      .filter(({ kind }) => kind === 'kube_cluster')
      .flatMap((resource) => {
        const target = dialTargetOf(resource.uri)
        return target === undefined ? [] : [[target, serveCluster(resource, log)] as const]
      }),
  )

function environmentLabels({ environmentLabels: wanted }: Settings, env: ServiceOptions['env'], log: AgentLog): Labels {
  const labels: Record<string, string> = {}
  for (const [name, variable] of Object.entries(wanted)) {
    const value = env[variable]
    if (value === undefined) log.warn({ label: name, variable }, 'a label has no value: its variable is not set')
    else labels[name] = value
  }
  return labels
}

/** The newest heartbeat for everyone who comes, and each later one. */
function createHeartbeats(): ConnectOptions['heartbeats'] & { publish(heartbeat: HeartbeatWire): void } {
  const listeners = new Set<(heartbeat: HeartbeatWire) => void>()
  let newest: HeartbeatWire | undefined
  return {
    publish(heartbeat) {
      newest = heartbeat
      for (const listener of listeners) listener(heartbeat)
    },
    subscribe(listener) {
      listeners.add(listener)
      if (newest) listener(newest)
      return { [Symbol.dispose]: () => listeners.delete(listener) }
    },
  }
}
