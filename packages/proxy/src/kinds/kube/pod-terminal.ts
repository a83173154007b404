/** A browser's shell in a pod: the same terminal as of servers, opened by naming a container. Who comes back to it, or joins it, uses the socket of terminals. */
import { terminalMaxDimension } from '@sallyport/wire/limits.ts'
import type { WebSocket } from 'ws'
import { z } from 'zod'
import { actorAt } from '../../core/access/assumed.ts'
import { requireOwnCluster } from '../../core/cluster/cluster.ts'
import { badParameter } from '../../core/errors.ts'
import type { Factors } from '../../core/identity/factors.ts'
import { confirmSession } from '../../core/identity/session-proof.ts'
import { subjectOfCaller } from '../../core/locks/lock.ts'
import { onSocket } from '../../core/route.ts'
import type { SocketRequest, SocketRoute } from '../../core/route.ts'
import type { LiveSession } from '../../core/sessions/live-session.ts'
import { stopping } from '../../core/sessions/live-sessions.ts'
import { partiesOf, toSessionWire } from '../../core/sessions/session-wire.ts'
import { measureLatency } from '../../core/terminal/latency.ts'
import { acknowledgeEvery } from '../../core/terminal/output-window.ts'
import { TerminalSocket } from '../../core/terminal/terminal-socket.ts'
import { parseApiRequest } from './api-request.ts'
import { decide } from './decide.ts'
import { auditRequest, enter } from './entry.ts'
import type { EntryDeps, Visitor } from './entry.ts'
import { execPath, openPodTerminal } from './open-exec.ts'
import type { ExecDeps, ExecTarget } from './open-exec.ts'
import { toStatus } from './status.ts'

export type PodTerminalDeps = ExecDeps & EntryDeps & { factors: Pick<Factors, 'challenge' | 'key'> }

const name = z.string().max(255)
const paramsForm = z.object({
  /** Ours: what the first frame would say. */
  kube: z.unknown().optional(),
  term: z.object({ w: z.number().int().min(1).max(terminalMaxDimension), h: z.number().int().min(1).max(terminalMaxDimension) }),
})
/** What the first frame says. */
const execForm = z.object({
  kubeCluster: name.min(1),
  namespace: name.min(1),
  pod: name.min(1),
  container: name.default(''),
  command: z.string().max(4096).default('/bin/sh'),
  isInteractive: z.boolean().default(true),
  /** Ours: where roles allow several users of the cluster, the one to come as. */
  kubeUser: name.default(''),
})

const query = z.object({ params: z.string().max(8192).optional(), traceparent: z.string().max(256).optional() })
type Query = z.output<typeof query>
type Size = { columns: number; rows: number }
/** `exec`: undefined where the first frame brings it. */
type Prepared = { size: Size; exec: unknown }

export const podTerminal = (deps: PodTerminalDeps): SocketRoute =>
  onSocket({
    id: 'kube.exec',
    path: '/v1/webapi/sites/{clusterId}/kube/exec',
    query,
    prepare: ({ params, query: { params: json } }) => {
      requireOwnCluster(deps.cluster, params['clusterId'] ?? '')
      return Promise.resolve(readParams(json))
    },
    open: (socket, prepared: Prepared, request) => void run(deps, socket, prepared, request),
  })

function readParams(json: string | undefined): Prepared {
  const parsed = paramsForm.safeParse(readJson(json ?? ''))
  if (!parsed.success) throw badParameter('params: term needs its width and height')
  const { term, kube } = parsed.data
  return { size: { columns: term.w, rows: term.h }, exec: kube }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // refused by who reads it
  }
}

async function run(
  deps: PodTerminalDeps,
  webSocket: WebSocket,
  { size, exec }: Prepared,
  { caller, client, signal }: SocketRequest<Query>,
): Promise<void> {
  let session: LiveSession | undefined
  let isGone = false
  const socket = new TerminalSocket(webSocket, {
    onSeat: (seat) => session && socket.session({ ...toSessionWire(session, false, seat), acknowledge: acknowledgeEvery }),
    people: () => (session ? { parties: partiesOf(session), state: session.state, waitingFor: session.missing } : {}),
    onGone: () => (isGone = true),
    onViolation: (text) => session?.end({ kind: 'cut', text }),
  })
  const visitor: Visitor = {
    caller,
    address: client.address,
    confirm: () => confirmSession(deps.factors, socket, caller.username, 'kubernetes cluster'),
  }
  try {
    const opened = await open(deps, visitor, exec ?? readJson((await socket.opening()) ?? ''), size)
    session = opened
    const { username: user, roles, traits, sessionId: webSession } = caller
    const membership = opened.join({
      user,
      roles,
      traits,
      address: client.address,
      mode: 'peer',
      webSession,
      signal: caller.signal,
      sink: socket,
    })
    socket.attach(membership)
    measureLatency(
      webSocket,
      () => opened.ping(),
      (latency) => socket.latency(latency),
    )
    const watched = deps.locks.watch(subjectOfCaller(caller), (reason) => membership.disconnect(reason))
    const end = (): void => opened.end(stopping)
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
    void opened.ended.then(() => {
      watched[Symbol.dispose]()
      signal.removeEventListener('abort', end)
    })
  } catch (error) {
    if (!isGone) socket.failure(toStatus(error, deps.log).message)
    socket.close('cut')
  }
}

async function open(deps: PodTerminalDeps, given: Visitor, exec: unknown, size: Size): Promise<LiveSession> {
  const parsed = execForm.safeParse(exec)
  if (!parsed.success) throw badParameter(`the terminal did not say which pod it is for: ${parsed.error.issues[0]?.path.join('.') ?? ''}`)
  const { kubeCluster, namespace, pod, container, command, isInteractive, kubeUser } = parsed.data
  const visitor = { ...given, caller: actorAt(given.caller, 'kube_cluster', kubeCluster) }
  const target: ExecTarget = {
    namespace,
    pod,
    container,
    command: command.split(' '),
    tty: isInteractive,
    stdin: true,
    stdout: true,
    stderr: !isInteractive,
  }
  const path = execPath(target).split('?', 1)[0] ?? ''
  const facts = { method: 'GET', path, cluster: kubeCluster }
  try {
    const entry = await enter(deps, kubeCluster, visitor, { user: kubeUser || undefined })
    const request = parseApiRequest('GET', path)
    decide(visitor.caller.access, entry.cluster.labels, request)
    await auditRequest(deps, visitor, { ...facts, entry, target: request }, 101)
    return await openPodTerminal(deps, entry, visitor, target, { size })
  } catch (error) {
    await auditRequest(deps, visitor, facts, toStatus(error, deps.log).code).catch((cause: unknown) =>
      deps.log.error({ err: cause }, 'a refused shell in a pod could not be written to the audit log'),
    )
    throw error
  }
}
