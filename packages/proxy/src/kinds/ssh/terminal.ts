/** The terminal socket: from a browser's request to a running, recorded session. */
import { randomUUID } from 'node:crypto'
import type { ParticipantMode } from '@sallyport/wire/entities/session-tracker.ts'
import type { WebSocket } from 'ws'
import { z } from 'zod'
import { smallest } from '../../core/access/combine-options.ts'
import type { Audit } from '../../core/audit/audit.ts'
import type { Authorities } from '../../core/authorities/authorities.ts'
import type { Caller } from '../../core/caller.ts'
import type { Clock } from '../../core/clock.ts'
import { requireOwnCluster } from '../../core/cluster/cluster.ts'
import type { OwnCluster } from '../../core/cluster/cluster.ts'
import type { ClusterSettings } from '../../core/cluster/cluster-settings.ts'
import { accessDenied, AppError, notFound } from '../../core/errors.ts'
import type { Factors } from '../../core/identity/factors.ts'
import type { Inventory, Node } from '../../core/inventory/inventory.ts'
import { LockRefusal, subjectOfCaller } from '../../core/locks/lock.ts'
import type { LockSubject } from '../../core/locks/lock.ts'
import type { LockView } from '../../core/locks/lock-view.ts'
import type { Log } from '../../core/log.ts'
import { RecordingError } from '../../core/recordings/recording-error.ts'
import { onSocket } from '../../core/route.ts'
import type { SocketRequest, SocketRoute } from '../../core/route.ts'
import type { EndReason, LiveSession } from '../../core/sessions/live-session.ts'
import { stopping } from '../../core/sessions/live-sessions.ts'
import type { LiveSessions } from '../../core/sessions/live-sessions.ts'
import { joinModes, toSessionWire } from '../../core/sessions/session-wire.ts'
import type { SessionSubject, TerminalSize } from '../../core/sessions/subject.ts'
import type { Dialer } from '../../core/tunnel/tunnel.ts'
import { dialSsh } from './dial.ts'
import { confirmSession } from './session-proof.ts'
import { SshError } from './ssh-error.ts'
import { parseTerminalParams } from './terminal-params.ts'
import { TerminalSocket } from './terminal-socket.ts'

export interface TerminalDeps {
  cluster: OwnCluster
  settings: ClusterSettings
  inventory: Pick<Inventory, 'resolve'>
  sessions: LiveSessions
  audit: Pick<Audit, 'emit'>
  dialer: Dialer
  authorities: Pick<Authorities, 'issueUserCertificate' | 'hostCa'>
  locks: Pick<LockView, 'watch'>
  factors: Pick<Factors, 'challenge' | 'key'>
  clock: Clock
  log: Log
}

type Prepared =
  | { kind: 'join'; session: LiveSession; mode: ParticipantMode }
  | { kind: 'new'; node: Node; login: string; size: TerminalSize }
  /** What can only be said in the terminal. */
  | { kind: 'refused'; serverId: string; login: string; reason: string }

const query = z.object({ params: z.string().max(8192).optional(), traceparent: z.string().max(256).optional() })
type Query = z.output<typeof query>

export const terminalSocket = (deps: TerminalDeps): SocketRoute =>
  onSocket({
    id: 'terminal.connect',
    path: '/v1/webapi/sites/{clusterId}/connect',
    query,
    // eslint-disable-next-line typescript/require-await -- what it throws must reject
    prepare: async ({ params, query: { params: json }, caller }) => {
      requireOwnCluster(deps.cluster, params['clusterId'] ?? '')
      const request = parseTerminalParams(json)
      if (request.kind === 'join') return prepareJoin(deps, request, caller)
      return resolveNode(deps.inventory, request, caller)
    },
    open: (socket, prepared: Prepared, request) => void run(deps, socket, prepared, request),
  })

function prepareJoin(
  { sessions, settings }: TerminalDeps,
  { sid, mode }: { sid: string; mode: ParticipantMode | undefined },
  caller: Caller,
): Prepared {
  const session = sessions.get(sid)
  if (!session) throw notFound(`SSH session ${sid} not found`)
  if (session.subject.user !== caller.username && settings.sessionRecording.mode.startsWith('proxy'))
    throw accessDenied('sessions that are recorded at the proxy cannot be joined')
  const modes = joinModes(session, caller.username)
  const wanted = mode ?? (session.subject.user === caller.username ? 'peer' : 'observer')
  if (!modes.includes(wanted)) throw accessDenied(`access denied to join session ${sid} as ${wanted}`)
  return { kind: 'join', session, mode: wanted }
}

function resolveNode(
  inventory: Pick<Inventory, 'resolve'>,
  { serverId, login, size }: { serverId: string; login: string; size: TerminalSize },
  caller: Caller,
): Prepared {
  const found = inventory.resolve(serverId, ({ labels }) => caller.access.canSeeNode(labels))
  if (found.kind === 'found') return { kind: 'new', node: found.node, login, size }
  if (found.kind === 'ambiguous') {
    const ids = found.nodes.map(({ id }) => id).join(', ')
    return { kind: 'refused', serverId, login, reason: `ambiguous host "${serverId}": choose one of ${ids}` }
  }
  if (z.uuid().safeParse(serverId.toLowerCase()).success) throw notFound(`node ${serverId} not found`)
  return { kind: 'refused', serverId, login, reason: `server "${serverId}" is not registered here or you have no access to it` }
}

async function run(deps: TerminalDeps, webSocket: WebSocket, prepared: Prepared, request: SocketRequest<Query>): Promise<void> {
  const gone = new AbortController()
  let session: LiveSession | undefined
  const socket = new TerminalSocket(webSocket, {
    onGone: () => gone.abort(new Error('the browser went away')),
    onViolation: (text) => {
      if (session?.subject.user === request.caller.username) session.end({ kind: 'cut', text })
    },
  })
  const { caller, client } = request
  try {
    session = prepared.kind === 'join' ? prepared.session : await openSession(deps, prepared, request, socket, gone.signal)
    const mode = prepared.kind === 'join' ? prepared.mode : 'peer'
    socket.session(toSessionWire(session, prepared.kind === 'join'))
    const membership = session.join({ user: caller.username, address: client.address, mode, signal: caller.signal, sink: socket })
    socket.attach(membership)
    const watched = deps.locks.watch(lockSubjectOf(caller, session.subject), (reason) => membership.disconnect(reason))
    gone.signal.addEventListener('abort', () => watched[Symbol.dispose](), { once: true })
    endWhenStopping(session, request.signal)
  } catch (error) {
    if (!gone.signal.aborted) socket.text(`${publicText(error, deps.log)}\n`)
    socket.close('cut')
  }
}

function endWhenStopping(session: LiveSession, signal: AbortSignal): void {
  const end = (): void => session.end(stopping)
  if (signal.aborted) return end()
  signal.addEventListener('abort', end, { once: true })
  void session.ended.then(() => signal.removeEventListener('abort', end))
}

/** Rejects with an error whose text is for the terminal. Refusals are audited. */
async function openSession(
  deps: TerminalDeps,
  prepared: Exclude<Prepared, { kind: 'join' }>,
  request: SocketRequest<Query>,
  socket: TerminalSocket,
  gone: AbortSignal,
): Promise<LiveSession> {
  const { caller, client } = request
  const sid = randomUUID()
  try {
    if (prepared.kind === 'refused') throw notFound(prepared.reason)
    const { node, login, size } = prepared
    const decision = caller.access.checkNodeLogin(node.labels, login)
    if (!decision.allowed) throw accessDenied(decision.reason)
    if (caller.access.needsSessionMfa(node.labels, login) || deps.settings.authPreference.require_session_mfa !== false)
      await confirmSession(deps.factors, socket, caller.username)
    const subject = { sid, user: caller.username, login, clusterName: deps.cluster.name, node, address: client.address, size }
    return await openUnlocked(deps, subject, caller, AbortSignal.any([gone, caller.signal, request.signal]))
  } catch (error) {
    if (!gone.aborted) await auditRefusal(deps, prepared, request, publicText(error, deps.log))
    throw error
  }
}

const lockSubjectOf = (caller: Caller, { login, node }: Pick<SessionSubject, 'login' | 'node'>): LockSubject => ({
  ...subjectOfCaller(caller),
  login,
  node: node.id,
})

/** Opens a session under the eyes of the locks: one that is placed at any moment from here on keeps it from opening, or ends it. */
async function openUnlocked(deps: TerminalDeps, subject: SessionSubject, caller: Caller, signal: AbortSignal): Promise<LiveSession> {
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

async function dialAndOpen(deps: TerminalDeps, subject: SessionSubject, caller: Caller, signal: AbortSignal): Promise<LiveSession> {
  const { node, login, sid, user, size } = subject
  const connection = await dialSsh({ ...deps, hostId: node.id, hostNames: [node.hostname], login, keyId: `${user} ${sid}`, signal })
  try {
    const { recordSsh, clientIdleTimeout, maxConnections, maxSessions } = caller.access.options
    const openShell = () => {
      signal.throwIfAborted()
      return connection.shell({ term: 'xterm-256color', cols: size.columns, rows: size.rows, env: { COLORTERM: 'truecolor' } })
    }
    const { networking, sessionRecording } = deps.settings
    const session = await deps.sessions.open({
      subject,
      mode: sessionRecording.mode === 'off' ? 'off' : recordSsh,
      idleTimeout: smallest([clientIdleTimeout, networking.client_idle_timeout]),
      idleText: networking.client_idle_timeout_message,
      // A terminal here is one connection with one session in it.
      limit: smallest([maxConnections, maxSessions]),
      openShell,
    })
    void session.ended.then(() => connection.close())
    return session
  } catch (error) {
    await connection.close()
    throw error
  }
}

async function auditRefusal(
  { audit, log }: TerminalDeps,
  prepared: Exclude<Prepared, { kind: 'join' }>,
  { caller, client }: SocketRequest<Query>,
  reason: string,
): Promise<void> {
  const server =
    prepared.kind === 'new'
      ? {
          server_id: prepared.node.id,
          server_hostname: prepared.node.hostname,
          server_addr: prepared.node.addr,
          server_labels: prepared.node.labels,
        }
      : { server_id: prepared.serverId }
  const fields = {
    user: caller.username,
    login: prepared.login,
    ...server,
    namespace: 'default',
    reason,
    proto: 'ssh',
    'addr.remote': client.address,
  }
  await audit
    .emit('T1006W', fields)
    .catch((error: unknown) => log.error({ err: error }, 'a refused session could not be written to the audit log'))
}

/** Errors of ours are for the user; anything else is a bug, and its text is for the log. */
function publicText(error: unknown, log: Log): string {
  if (error instanceof AppError || error instanceof SshError || error instanceof RecordingError) return error.message
  log.error({ err: error }, 'a terminal failed unexpectedly')
  return 'internal error: the session could not be opened; the log of the proxy says why'
}
