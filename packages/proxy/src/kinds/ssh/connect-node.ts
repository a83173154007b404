/** From a person who asks for a login on a node to a connection there: decisions, locks, limits, dialling, audit of refusals. */
import { randomUUID } from 'node:crypto'
import type { Duplex } from 'node:stream'
import type { Audit } from '../../core/audit/audit.ts'
import type { Authorities } from '../../core/authorities/authorities.ts'
import { actorAt } from '../../core/access/assumed.ts'
import type { Actor } from '../../core/caller.ts'
import type { Clock } from '../../core/clock.ts'
import type { OwnCluster } from '../../core/cluster/cluster.ts'
import type { ClusterSettings } from '../../core/cluster/cluster-settings.ts'
import { accessDenied, AppError, notFound } from '../../core/errors.ts'
import type { Node } from '../../core/inventory/inventory.ts'
import { LockRefusal, subjectOfCaller } from '../../core/locks/lock.ts'
import type { LockSubject } from '../../core/locks/lock.ts'
import type { LockView } from '../../core/locks/lock-view.ts'
import type { Log } from '../../core/log.ts'
import { RecordingError } from '../../core/recordings/recording-error.ts'
import type { ConnectionLimit } from '../../core/sessions/connection-limit.ts'
import { actorFields } from '../../core/sessions/subject.ts'
import type { SessionSubject } from '../../core/sessions/subject.ts'
import type { Dialer } from '../../core/tunnel/tunnel.ts'
import type { ShowOnDisplay, SshConnection } from './client.ts'
import { dialSsh } from './dial.ts'
import type { SshExtension } from './dial.ts'
import { SshError } from './ssh-error.ts'

export interface ConnectNodeDeps {
  cluster: OwnCluster
  settings: ClusterSettings
  audit: Pick<Audit, 'emit'>
  dialer: Dialer
  authorities: Pick<Authorities, 'issueUserCertificate' | 'hostCa'>
  locks: Pick<LockView, 'watch'>
  connections: ConnectionLimit
  clock: Clock
  log: Log
}

/** What is asked for, as far as it was found. */
export type NodeTarget =
  | { kind: 'found'; node: Node; login: string }
  /** No node, or several: refused with these words. */
  | { kind: 'refused'; serverId: string; login: string; reason: string }

export interface Requester {
  caller: Actor
  /** `ip:port`. */
  address: string
  /** Proves anew who the caller is; called when the session asks for it. The id of the key, as far as it is known. Rejects with AppError. */
  confirm: () => Promise<string | undefined>
  /** Aborts when the caller's client is gone: nobody is left to tell, and nothing is audited. */
  gone: AbortSignal
  /** Aborts when the proxy stops. */
  stopping: AbortSignal
  /** What the client may use on the connection besides sessions; undefined for a terminal in a browser. */
  forwarding?: { extensions: readonly SshExtension[]; openKeyAgent: () => Promise<Duplex>; showOnDisplay: ShowOnDisplay }
}

export interface NodeConnection extends AsyncDisposable {
  readonly ssh: SshConnection
  /** Facts that are the same in all sessions on it. */
  readonly subject: Omit<SessionSubject, 'sid' | 'size' | 'command' | 'isInteractive'> & { node: Pick<Node, 'subKind'> }
  readonly requester: Requester
  /** Aborts with the LockRefusal when a lock hits it. Whoever uses the connection ends then. */
  readonly locked: AbortSignal
  /** Disposed of, it stays until then, unless it is locked or the proxy stops: what runs on the host still has something to say. */
  readonly keepUntil: (over: Promise<unknown>) => void
}

/** Rejects with an error whose text (`publicText`) is for the person who asks. Refusals are audited. */
export async function connectNode(
  deps: ConnectNodeDeps,
  target: NodeTarget,
  given: Requester,
  id: string = randomUUID(),
): Promise<NodeConnection> {
  const requester = target.kind === 'found' ? { ...given, caller: actorAt(given.caller, 'node', target.node.id) } : given
  const { caller, gone } = requester
  try {
    if (target.kind === 'refused') throw notFound(target.reason)
    const { node, login } = target
    const decision = caller.access.checkNodeLogin(node.labels, login)
    if (!decision.allowed) throw accessDenied(decision.reason)
    const mustConfirm = caller.access.needsSessionMfa(node.labels, login) || deps.settings.authPreference.require_session_mfa !== false
    const withMfa = mustConfirm ? await requester.confirm() : undefined
    return await connectUnlocked(deps, { node, login, id, withMfa }, requester)
  } catch (error) {
    if (!gone.aborted) await auditRefusal(deps, target, requester, publicText(error, deps.log))
    throw error
  }
}

export const lockSubjectOf = (caller: Actor, { login, node }: Pick<SessionSubject, 'login' | 'node'>): LockSubject => ({
  ...subjectOfCaller(caller),
  login,
  node: node.id,
})

/** Under the eyes of the locks: one that is placed at any moment from here on keeps it from opening, or ends it. */
async function connectUnlocked(
  deps: ConnectNodeDeps,
  { node, login, id, withMfa }: { node: Node; login: string; id: string; withMfa: string | undefined },
  requester: Requester,
): Promise<NodeConnection> {
  const { caller, address, gone, stopping, forwarding } = requester
  const subject = {
    user: caller.username,
    isBot: caller.isBot,
    login,
    clusterName: deps.cluster.name,
    node,
    address,
    assumed: caller.assumed,
    trustedDevice: caller.trustedDevice,
    withMfa,
  }
  const locked = new AbortController()
  using opened = new DisposableStack()
  opened.use(deps.locks.watch(lockSubjectOf(caller, subject), (reason) => locked.abort(new LockRefusal(reason))))
  opened.use(deps.connections.take(caller.username, caller.access.options.maxConnections))
  try {
    const ssh = await dialSsh({
      ...deps,
      hostId: node.id,
      hostNames: [node.hostname],
      clientAddress: address,
      login,
      keyId: `${caller.username} ${id}`,
      signal: AbortSignal.any([gone, caller.signal, stopping, locked.signal]),
      ...forwarding,
    })
    const held = opened.move()
    const kept: Promise<unknown>[] = []
    const close = async (): Promise<void> => {
      held.dispose()
      await Promise.race([Promise.all(kept), aborted(AbortSignal.any([stopping, locked.signal]))])
      await ssh.close()
    }
    return { ssh, subject, requester, locked: locked.signal, keepUntil: (over) => kept.push(over), [Symbol.asyncDispose]: close }
  } catch (error) {
    // What failed then is only what the lock broke.
    throw locked.signal.aborted ? locked.signal.reason : error
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

export async function auditRefusal(
  { audit, log }: Pick<ConnectNodeDeps, 'audit' | 'log'>,
  target: NodeTarget | { kind: 'found'; node: SessionSubject['node']; login: string },
  { caller, address }: Pick<Requester, 'caller' | 'address'>,
  reason: string,
): Promise<void> {
  const server =
    target.kind === 'found'
      ? {
          server_id: target.node.id,
          server_hostname: target.node.hostname,
          server_addr: target.node.addr,
          server_labels: target.node.labels,
        }
      : { server_id: target.serverId }
  const fields = {
    ...actorFields(caller),
    login: target.login,
    ...server,
    namespace: 'default',
    reason,
    proto: 'ssh',
    'addr.remote': address,
  }
  await audit
    .emit('T1006W', fields)
    .catch((error: unknown) => log.error({ err: error }, 'a refused session could not be written to the audit log'))
}

/** Errors of ours are for the user; anything else is a bug, and its text is for the log. */
export function publicText(error: unknown, log: Log): string {
  if (error instanceof AppError || error instanceof SshError || error instanceof RecordingError) return error.message
  log.error({ err: error }, 'a session failed unexpectedly')
  return 'internal error: the session could not be opened; the log of the proxy says why'
}
