import type { KeyObject } from 'node:crypto'
import { hostname as systemHostname, platform } from 'node:os'
import type { Duplex } from 'node:stream'
import type { HostIdentity } from '@sallyport/protocols/ssh/certified-host-key.ts'
import manifest from '../package.json' with { type: 'json' }
import { startHeartbeat } from './heartbeat.ts'
import type { Heartbeat, RunningHeartbeat } from './heartbeat.ts'
import { defaultLabels, startLabels } from './labels.ts'
import type { CommandLabel, Labels } from './labels.ts'
import { whyNotServe } from './launch.ts'
import type { AgentLog } from './log.ts'
import { createSshServer } from './server.ts'

export interface AgentOptions {
  /** As openHostKeys gives it. */
  readonly hostId: string
  /** Default: the system's. */
  readonly hostname?: string
  /** Added to defaultLabels; the same name wins over it. */
  readonly labels?: Labels
  readonly commandLabels?: Readonly<Record<string, CommandLabel>>
  /** Set in the environment of every session, over what the login's own would be: as SetEnv of OpenSSH's server. */
  readonly environment?: Readonly<Record<string, string>>
  /** The user authority's keys that count now; asked at each login. */
  readonly userCa: () => readonly KeyObject[]
  /** The host key and a valid certificate for it, naming the host id; asked at each connection. */
  readonly hostIdentity: () => HostIdentity
  readonly clock: { now(): number }
  readonly log: AgentLog
  /** Must not throw. Called before startAgent returns, then every minute and whenever a label changes. */
  readonly onHeartbeat: (heartbeat: Heartbeat) => void
}

export interface Agent extends AsyncDisposable {
  readonly hostId: string
  readonly hostname: string
  /** Serves SSH on a stream that was dialled to this host. `address`: the client's, if known. */
  accept(stream: Duplex, address?: string): void
  /** Ends the heartbeats; everything else goes on. */
  silence(): void
}

/**
 * Starts this machine's node service: labels, heartbeats and the SSH server for streams given to accept().
 * Disposing it ends all sessions and waits for their processes. Throws when shells cannot be served here.
 */
export function startAgent(options: AgentOptions): Agent {
  const { hostId, hostname = systemHostname(), userCa, hostIdentity, clock, log, onHeartbeat } = options
  const obstacle = whyNotServe()
  if (obstacle) throw new Error(obstacle)
  const version = manifest.version
  const server = createSshServer({ identity: hostIdentity, userCa, clock, log, version, environment: options.environment ?? {} })
  let heartbeat: RunningHeartbeat | undefined
  const labels = startLabels({
    labels: { ...defaultLabels(), ...options.labels },
    commandLabels: options.commandLabels ?? {},
    log,
    onChange: () => heartbeat?.beat(),
  })
  heartbeat = startHeartbeat(
    () => ({ hostId, hostname, os: platform(), addr: '', tunnel: true, labels: labels.current(), version }),
    onHeartbeat,
    clock,
  )
  const silence = (): void => {
    labels[Symbol.dispose]()
    heartbeat?.[Symbol.dispose]()
  }
  const stop = async (): Promise<void> => {
    silence()
    await server[Symbol.asyncDispose]()
  }
  return { hostId, hostname, accept: (stream, address) => server.accept(stream, address), silence, [Symbol.asyncDispose]: stop }
}
