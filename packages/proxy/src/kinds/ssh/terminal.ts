/** The terminal socket: from a browser's request to a person in a running session, new or joined. */
import type { ParticipantMode } from '@sallyport/wire/entities/session-tracker.ts'
import type { WebSocket } from 'ws'
import { z } from 'zod'
import type { Caller } from '../../core/caller.ts'
import { lacksDeviceText } from '../../core/access/principals.ts'
import { requireOwnCluster } from '../../core/cluster/cluster.ts'
import { accessDenied, notFound } from '../../core/errors.ts'
import type { Factors } from '../../core/identity/factors.ts'
import type { Inventory } from '../../core/inventory/inventory.ts'
import { onSocket } from '../../core/route.ts'
import type { SocketRequest, SocketRoute } from '../../core/route.ts'
import type { LiveSession } from '../../core/sessions/live-session.ts'
import { stopping } from '../../core/sessions/live-sessions.ts'
import type { Return } from '../../core/sessions/people/party.ts'
import { isJoinable, joinableOf, partiesOf, toSessionWire } from '../../core/sessions/session-wire.ts'
import type { TerminalSize } from '../../core/sessions/subject.ts'
import { auditRefusal, lockSubjectOf, publicText } from './connect-node.ts'
import type { NodeTarget } from './connect-node.ts'
import { measureLatency } from '../../core/terminal/latency.ts'
import { openSession } from './open-session.ts'
import type { OpenSessionDeps } from './open-session.ts'
import { resolveNode } from './resolve-node.ts'
import { confirmSession } from '../../core/identity/session-proof.ts'
import { acknowledgeEvery } from '../../core/terminal/output-window.ts'
import { SshError } from './ssh-error.ts'
import { parseTerminalParams, sessionOfParams } from './terminal-params.ts'
import type { TerminalRequest } from './terminal-params.ts'
import { TerminalSocket } from '../../core/terminal/terminal-socket.ts'

export interface TerminalDeps extends OpenSessionDeps {
  inventory: Pick<Inventory, 'resolve'>
  factors: Pick<Factors, 'challenge' | 'key'>
}

type Prepared = Join | { kind: 'new'; target: NodeTarget; size: TerminalSize }

interface Join {
  kind: 'join'
  session: LiveSession
  mode: ParticipantMode
  size: TerminalSize
  back: Return | undefined
}

const query = z.object({ params: z.string().max(8192).optional(), traceparent: z.string().max(256).optional() })
type Query = z.output<typeof query>

export const terminalSocket = (deps: TerminalDeps): SocketRoute =>
  onSocket({
    id: 'terminal.connect',
    path: '/v1/webapi/sites/{clusterId}/connect',
    query,
    keptUnder: ({ params }) => (typeof params === 'string' ? sessionOfParams(params) : undefined),
    prepare: async ({ params, query: { params: json }, caller, client }): Promise<Prepared> => {
      requireOwnCluster(deps.cluster, params['clusterId'] ?? '')
      const request = parseTerminalParams(json)
      if (request.kind === 'new') return { kind: 'new', target: resolveNode(deps.inventory, request, caller), size: request.size }
      const session = deps.sessions.get(request.sid)
      if (!session || session.isEnding) throw notFound(`SSH session ${request.sid} not found`)
      try {
        return prepareJoin(deps, session, request, caller)
      } catch (error) {
        await auditRefusal(deps, { kind: 'found', ...session.subject }, { caller, address: client.address }, publicText(error, deps.log))
        throw error
      }
    },
    open: (socket, prepared: Prepared, request) => void run(deps, socket, prepared, request),
  })

type JoinRequest = Extract<TerminalRequest, { kind: 'join' }>

/** Throws access denied. */
function prepareJoin({ settings }: TerminalDeps, session: LiveSession, request: JoinRequest, caller: Caller): Join {
  const { sid, mode, size, back } = request
  const isOwner = session.subject.user === caller.username
  if (!isOwner && !isJoinable(settings)) throw accessDenied('sessions that are recorded at the proxy cannot be joined')
  if (caller.access.lacksDevice) throw accessDenied(`access denied to join session ${sid}. ${lacksDeviceText}`)
  const modes = caller.access.joinModes(joinableOf(session))
  const wanted = mode ?? (isOwner ? 'peer' : 'observer')
  if (!modes.includes(wanted)) throw accessDenied(`access denied to join session ${sid} as ${wanted}`)
  const isBack = back !== undefined && session.isSeated(back.token, caller.username, caller.sessionId)
  if (!isBack) session.requireRoom(caller.username)
  return { kind: 'join', session, mode: wanted, size, back: isBack ? back : undefined }
}

/** Whether somebody who joins has to prove who they are, as for a session of their own. */
function asksForProof({ settings }: TerminalDeps, { session: { subject } }: Join, { access, username }: Caller): boolean {
  if (settings.authPreference.require_session_mfa !== false) return true
  return subject.user === username ? access.needsSessionMfa(subject.node.labels, subject.login) : access.options.requireSessionMfa
}

async function run(deps: TerminalDeps, webSocket: WebSocket, prepared: Prepared, request: SocketRequest<Query>): Promise<void> {
  const gone = new AbortController()
  let session: LiveSession | undefined
  const isJoining = prepared.kind === 'join'
  const socket = new TerminalSocket(webSocket, {
    onSeat: (seat) => {
      if (!session) return
      // Only the owner's screens set the pace: those of guests may lag behind.
      const isOwner = session.subject.user === request.caller.username
      socket.session({ ...toSessionWire(session, isJoining, seat), ...(isOwner && { acknowledge: acknowledgeEvery }) })
    },
    people: () => (session ? { parties: partiesOf(session), state: session.state, waitingFor: session.missing } : {}),
    onGone: () => gone.abort(new SshError('cancelled', 'the browser went away')),
    onViolation: (text) => {
      if (session?.subject.user === request.caller.username) session.end({ kind: 'cut', text })
    },
  })
  const { caller, client } = request
  const confirm = () => confirmSession(deps.factors, socket, caller.username)
  try {
    session = isJoining ? await join(deps, prepared, caller, confirm) : await open(deps, prepared, request, { confirm, gone: gone.signal })
    const membership = session.join(
      {
        user: caller.username,
        roles: caller.roles,
        traits: caller.traits,
        address: client.address,
        mode: isJoining ? prepared.mode : 'peer',
        webSession: caller.sessionId,
        signal: caller.signal,
        ...(isJoining && { size: prepared.size }),
        // Who moderates and has shown a key shows it again and again.
        ...(isJoining && prepared.mode === 'moderator' && asksForProof(deps, prepared, caller) && { prove: confirm }),
        sink: socket,
      },
      isJoining ? prepared.back : undefined,
    )
    socket.attach(membership)
    const opened = session
    measureLatency(
      webSocket,
      () => opened.ping(),
      (latency) => socket.latency(latency),
    )
    const watched = deps.locks.watch(lockSubjectOf(caller, session.subject), (reason) => membership.disconnect(reason))
    gone.signal.addEventListener('abort', () => watched[Symbol.dispose](), { once: true })
    endWhenStopping(session, request.signal)
  } catch (error) {
    const text = publicText(error, deps.log)
    if (!gone.signal.aborted) socket.text(`${text}\n`)
    if (isJoining && !gone.signal.aborted)
      await auditRefusal(deps, { kind: 'found', ...prepared.session.subject }, { caller, address: client.address }, text)
    socket.close('cut')
  }
}

function open(
  deps: TerminalDeps,
  { target, size }: Extract<Prepared, { kind: 'new' }>,
  { caller, client, signal: stopping }: SocketRequest<Query>,
  more: { confirm: () => Promise<string>; gone: AbortSignal },
): Promise<LiveSession> {
  return openSession(deps, target, { caller, address: client.address, stopping, ...more }, { size })
}

async function join(deps: TerminalDeps, prepared: Join, caller: Caller, confirm: () => Promise<unknown>): Promise<LiveSession> {
  // Who comes back to their seat has done so; but moderators must not stay without a proof by coming back all the time.
  const isKnown = prepared.back !== undefined && prepared.mode !== 'moderator'
  if (!isKnown && asksForProof(deps, prepared, caller)) await confirm()
  return prepared.session
}

function endWhenStopping(session: LiveSession, signal: AbortSignal): void {
  const end = (): void => session.end(stopping)
  if (signal.aborted) return end()
  signal.addEventListener('abort', end, { once: true })
  void session.ended.then(() => signal.removeEventListener('abort', end))
}
