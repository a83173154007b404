/**
 * What a jump leads to, for clients of this proxy and for those whom a root sends here. It is not passed on to a server:
 * the proxy answers in its place, so that what runs on it is decided, recorded and audited like a terminal in the browser.
 */
import type { Duplex } from 'node:stream'
import type { HostIdentity } from '@sallyport/protocols/ssh/certified-host-key.ts'
import { nativeAppName, nativeListName } from '@sallyport/wire/native-ssh.ts'
import type { NativeList } from '@sallyport/wire/native-ssh.ts'
import type { AuthContext } from 'ssh2'
import type { Actor } from '../../../core/caller.ts'
import type { Devices } from '../../../core/device-trust/devices.ts'
import type { Inventory, Node } from '../../../core/inventory/inventory.ts'
import type { EndReason } from '../../../core/sessions/end-reason.ts'
import { joinStreams } from './join-streams.ts'
import { nameNode } from './name-node.ts'
import { NodeService } from './node-service.ts'
import type { NodeServiceDeps } from './node-service.ts'
import { serveChannels } from './serve-channels.ts'
import type { SshAcceptor } from './ssh-acceptor.ts'
import { watchTrust } from './trusted-connection.ts'

/** Somebody who was let in to jump. */
export interface Jumper {
  readonly caller: Actor
  /** `ip:port`. */
  readonly address: string
  /** Whether a hardware key has just confirmed the certificate. */
  readonly isConfirmed: boolean
  /** Aborts when the proxy stops. */
  readonly stopping: AbortSignal
  /** What runs for them. */
  readonly running: Set<Ending>
  /** That the client of the inner connection is the one of the outer; `probe`: it would do, but is not proved yet. Rejects with what speaks against it. */
  readonly authenticate: (request: AuthContext) => Promise<Admission | 'probe'>
}

export interface Admission {
  caller: Actor
  isConfirmed: boolean
}

export interface Ending {
  /** Whoever runs something hears the reason, as far as possible. */
  disconnect(reason: EndReason): Promise<void>
}

export interface JumpTarget {
  /** As this proxy knows it. */
  host: string
  port: number
  /** As the client calls it. */
  name: string
}

/** Serves those who jump to a name that is its own; undefined for any other name. */
export type JumpService = (host: string, client: Jumper, port: number) => ((stream: Duplex) => void) | undefined

export interface JumpDeps extends NodeServiceDeps {
  devices: Pick<Devices, 'watch'>
  inventory: Pick<Inventory, 'resolve'>
  /** To a TCP application. Rejects with AppError. */
  dialApp: (name: string, client: { actor: Actor; isConfirmed: boolean; address: string }) => Promise<Duplex>
  /** What else is reached through the proxy. */
  services: readonly JumpService[]
  lists: Record<NativeList, (caller: Actor) => unknown>
  onRefused: (address: string) => (login: string, error: string) => void
}

/** How a jump goes on. */
export type Reached =
  /** Owns the stream from here on. */
  | { kind: 'served'; serve: (stream: Duplex) => void; cancel?: () => void }
  /** With an identity under which the client knows the server. */
  | { kind: 'node'; node: Node; serve: (stream: Duplex, identity: HostIdentity) => void; cancel?: undefined }

export interface Jumps {
  /** Undefined when nothing of that name is here for the client. Rejects with AppError. */
  reach(jumper: Jumper, target: JumpTarget): Promise<Reached | undefined>
}

export function createJumps(deps: JumpDeps, acceptor: SshAcceptor): Jumps {
  const { cluster, dialApp, inventory, lists, services } = deps

  async function reachApp(app: string, { caller, isConfirmed, address }: Jumper): Promise<Reached> {
    const far = await dialApp(app, { actor: caller, isConfirmed, address })
    return { kind: 'served', serve: (near) => void joinStreams(near, far), cancel: () => far.destroy() }
  }

  /** The client meets the server: its name, its certificate, its logins. */
  function serveNode(jumper: Jumper, stream: Duplex, identity: HostIdentity, { node, name }: { node: Node; name: string }): void {
    const { address, running, stopping } = jumper
    acceptor.accept<Admission & { login: string }>(stream, {
      identity,
      authenticate: async (request) => {
        const admission = await jumper.authenticate(request)
        return admission === 'probe' ? 'probe' : { ...admission, login: request.username }
      },
      onRefused: deps.onRefused(address),
      onReady: (connection, admission) => {
        const service = new NodeService(deps, { ...admission, node, name, address, stopping }, connection)
        serveChannels(service)
        running.add(service)
        // It need not be the certificate with which the way here was opened.
        const trust = watchTrust(deps.devices, admission.caller, (reason) => void service.disconnect(reason))
        connection.once('close', () => {
          running.delete(service)
          trust[Symbol.dispose]()
        })
      },
    })
  }

  return {
    async reach(jumper, { host, port, name }) {
      const app = nativeAppName(host)
      if (app !== undefined) return reachApp(app, jumper)
      const list = nativeListName(host)
      if (list) {
        const rows = `${JSON.stringify(lists[list](jumper.caller))}\n`
        return {
          kind: 'served',
          serve: (stream) =>
            void stream
              .on('error', () => undefined)
              .resume()
              .end(rows),
        }
      }
      for (const service of services) {
        const serve = service(host, jumper, port)
        if (serve) return { kind: 'served', serve }
      }
      const node = nameNode(inventory, cluster.name, { host, port }, jumper.caller)
      return node && { kind: 'node', node, serve: (stream, identity) => serveNode(jumper, stream, identity, { node, name }) }
    },
  }
}
