/** From a person who asks for a login on a node to a running, recorded session: decisions, locks, dialling, audit of refusals. */
import { randomUUID } from 'node:crypto'
import { smallest } from '../../core/access/combine-options.ts'
import type { Audit } from '../../core/audit/audit.ts'
import type { Authorities } from '../../core/authorities/authorities.ts'
import type { Caller } from '../../core/caller.ts'
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
import type { EndReason } from '../../core/sessions/end-reason.ts'
import type { LiveSession } from '../../core/sessions/live-session.ts'
import type { LiveSessions } from '../../core/sessions/live-sessions.ts'
import type { SessionSubject, TerminalSize } from '../../core/sessions/subject.ts'
import type { Dialer } from '../../core/tunnel/tunnel.ts'
import { dialSsh } from './dial.ts'
import { SshError } from './ssh-error.ts'

export interface OpenSessionDeps {
  cluster: OwnCluster
  settings: ClusterSettings
  sessions: LiveSessions
  audit: Pick<Audit, 'emit'>
  dialer: Dialer
  authorities: Pick<Authorities, 'issueUserCertificate' | 'hostCa'>
  locks: Pick<LockView, 'watch'>
  clock: Clock
  log: Log
}

/** What is asked for, as far as it was found. */
export type SessionTarget =
  | { kind: 'new'; node: Node; login: string; size: TerminalSize }
  /** No node, or several: refused with these words. */
  | { kind: 'refused'; serverId: string; login: string; reason: string }

export interface SessionRequester {
  caller: Caller
  /** `ip:port`. */
  address: string
  /** Proves anew who the caller is; called when the session asks for it. Rejects with AppError. */
  confirm: () => Promise<void>
  /** Aborts when the caller's client is gone: nobody is left to tell, and nothing is audited. */
  gone: AbortSignal
  /** Aborts when the proxy stops. */
  stopping: AbortSignal
}

/** Rejects with an error whose text (`publicText`) is for the person who asks. Refusals are audited. */
export async function openSession(deps: OpenSessionDeps, target: SessionTarget, requester: SessionRequester): Promise<LiveSession> {
  const { caller, address, gone } = requester
  const sid = randomUUID()
  try {
    if (target.kind === 'refused') throw notFound(target.reason)
    const { node, login, size } = target
    const decision = caller.access.checkNodeLogin(node.labels, login)
    if (!decision.allowed) throw accessDenied(decision.reason)
    if (caller.access.needsSessionMfa(node.labels, login) || deps.settings.authPreference.require_session_mfa !== false)
      await requester.confirm()
    const subject = { sid, user: caller.username, login, clusterName: deps.cluster.name, node, address, size }
    return await openUnlocked(deps, subject, caller, AbortSignal.any([gone, caller.signal, requester.stopping]))
  } catch (error) {
    if (!gone.aborted) await auditRefusal(deps, target, requester, publicText(error, deps.log))
    throw error
  }
}

export const lockSubjectOf = (caller: Caller, { login, node }: Pick<SessionSubject, 'login' | 'node'>): LockSubject => ({
  ...subjectOfCaller(caller),
  login,
  node: node.id,
})

/** Opens a session under the eyes of the locks: one that is placed at any moment from here on keeps it from opening, or ends it. */
async function openUnlocked(deps: OpenSessionDeps, subject: SessionSubject, caller: Caller, signal: AbortSignal): Promise<LiveSession> {
  const locked = new AbortController()
  const watched = deps.locks.watch(lockSubjectOf(caller, subject), (reason) => locked.abort(new LockRefusal(reason)))
  try {
    const session = await dialAndOpen(deps, subject, caller, AbortSignal.any([signal, locked.signal]))
    const end = (): void => session.end(lockedOut(locked.signal.reason))
    locked.signal.addEventListener('abort', end, { once: true })
    if (locked.signal.aborted) end()
    void session.ended.then(() => watched[Symbol.dispose]())
    return session
  } catch (error) {
    watched[Symbol.dispose]()
    // What failed then is only what the lock broke.
    throw locked.signal.aborted ? locked.signal.reason : error
  }
}

const lockedOut = (refusal: LockRefusal): EndReason => ({
  kind: 'cut',
  text: `The session is closed: ${refusal.message}`,
  disconnected: refusal.message,
})

async function dialAndOpen(deps: OpenSessionDeps, subject: SessionSubject, caller: Caller, signal: AbortSignal): Promise<LiveSession> {
  const { node, login, sid, user, size } = subject
  const connection = await dialSsh({ ...deps, hostId: node.id, hostNames: [node.hostname], login, keyId: `${user} ${sid}`, signal })
  try {
    const { recordSsh, clientIdleTimeout, maxConnections, maxSessions } = caller.access.options
    let isOpen = false
    const openShell = async () => {
      // In a moderated session the shell comes later, and then the session itself has an eye on all that ends it.
      if (!isOpen) signal.throwIfAborted()
      const shell = await connection.shell({ term: 'xterm-256color', cols: size.columns, rows: size.rows, env: { COLORTERM: 'truecolor' } })
      return Object.assign(shell, { ping: () => connection.ping() })
    }
    const { networking, sessionRecording } = deps.settings
    const session = await deps.sessions.open({
      subject,
      host: caller.access.sessionHost('ssh'),
      mode: sessionRecording.mode === 'off' ? 'off' : recordSsh,
      idleTimeout: smallest([clientIdleTimeout, networking.client_idle_timeout]),
      idleText: networking.client_idle_timeout_message,
      // A terminal here is one connection with one session in it.
      limit: smallest([maxConnections, maxSessions]),
      openShell,
      explain: (error) => `The session is closed: ${publicText(error, deps.log)}`,
    })
    isOpen = true
    void session.ended.then(() => connection.close())
    return session
  } catch (error) {
    await connection.close()
    throw error
  }
}

/** Writes down that somebody was not let in. */
export async function auditRefusal(
  { audit, log }: Pick<OpenSessionDeps, 'audit' | 'log'>,
  target: { kind: 'new'; node: SessionSubject['node']; login: string } | Extract<SessionTarget, { kind: 'refused' }>,
  { caller, address }: Pick<SessionRequester, 'caller' | 'address'>,
  reason: string,
): Promise<void> {
  const server =
    target.kind === 'new'
      ? {
          server_id: target.node.id,
          server_hostname: target.node.hostname,
          server_addr: target.node.addr,
          server_labels: target.node.labels,
        }
      : { server_id: target.serverId }
  const fields = {
    user: caller.username,
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
