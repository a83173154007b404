/** The terminal socket: from a browser's request to a person in a running session, new or joined. */
import type { ParticipantMode } from '@sallyport/wire/entities/session-tracker.ts'
import type { WebSocket } from 'ws'
import { z } from 'zod'
import type { Caller } from '../../core/caller.ts'
import { requireOwnCluster } from '../../core/cluster/cluster.ts'
import { accessDenied, notFound } from '../../core/errors.ts'
import type { Factors } from '../../core/identity/factors.ts'
import type { Inventory } from '../../core/inventory/inventory.ts'
import { onSocket } from '../../core/route.ts'
import type { SocketRequest, SocketRoute } from '../../core/route.ts'
import type { LiveSession } from '../../core/sessions/live-session.ts'
import { stopping } from '../../core/sessions/live-sessions.ts'
import type { TerminalSize } from '../../core/sessions/subject.ts'
import { joinModes, toSessionWire } from '../../core/sessions/session-wire.ts'
import { lockSubjectOf, publicText } from './connect-node.ts'
import type { NodeTarget } from './connect-node.ts'
import { measureLatency } from './latency.ts'
import { openSession } from './open-session.ts'
import type { OpenSessionDeps } from './open-session.ts'
import { resolveNode } from './resolve-node.ts'
import { confirmSession } from './session-proof.ts'
import { parseTerminalParams } from './terminal-params.ts'
import { TerminalSocket } from './terminal-socket.ts'

export interface TerminalDeps extends OpenSessionDeps {
  inventory: Pick<Inventory, 'resolve'>
  factors: Pick<Factors, 'challenge' | 'key'>
}

type Prepared = { kind: 'join'; session: LiveSession; mode: ParticipantMode } | { kind: 'new'; target: NodeTarget; size: TerminalSize }

const query = z.object({ params: z.string().max(8192).optional(), traceparent: z.string().max(256).optional() })
type Query = z.output<typeof query>

export const terminalSocket = (deps: TerminalDeps): SocketRoute =>
  onSocket({
    id: 'terminal.connect',
    path: '/v1/webapi/sites/{clusterId}/connect',
    query,
    // eslint-disable-next-line typescript/require-await -- what it throws must reject
    prepare: async ({ params, query: { params: json }, caller }): Promise<Prepared> => {
      requireOwnCluster(deps.cluster, params['clusterId'] ?? '')
      const request = parseTerminalParams(json)
      if (request.kind === 'join') return prepareJoin(deps, request, caller)
      return { kind: 'new', target: resolveNode(deps.inventory, request, caller), size: request.size }
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
    session =
      prepared.kind === 'join'
        ? prepared.session
        : await openSession(
            deps,
            prepared.target,
            {
              caller,
              address: client.address,
              confirm: () => confirmSession(deps.factors, socket, caller.username),
              gone: gone.signal,
              stopping: request.signal,
            },
            { size: prepared.size },
          )
    const mode = prepared.kind === 'join' ? prepared.mode : 'peer'
    socket.session(toSessionWire(session, prepared.kind === 'join'))
    const membership = session.join({ user: caller.username, address: client.address, mode, signal: caller.signal, sink: socket })
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
