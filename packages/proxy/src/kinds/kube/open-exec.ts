/** Commands in pods, from any client: with a terminal they are sessions that others can join, without one they pass through and are recorded. */
import { randomUUID } from 'node:crypto'
import type { WebSocket } from 'ws'
import { smallest } from '../../core/access/combine-options.ts'
import type { OwnCluster } from '../../core/cluster/cluster.ts'
import type { ClusterSettings } from '../../core/cluster/cluster-settings.ts'
import { subjectOfCaller } from '../../core/locks/lock.ts'
import type { LockView } from '../../core/locks/lock-view.ts'
import type { Log } from '../../core/log.ts'
import type { CommandClient, CommandSession } from '../../core/sessions/command-session.ts'
import type { ConnectionLimit } from '../../core/sessions/connection-limit.ts'
import type { EndReason } from '../../core/sessions/end-reason.ts'
import type { LiveSession } from '../../core/sessions/live-session.ts'
import type { LiveSessions, OpenSession } from '../../core/sessions/live-sessions.ts'
import type { ExitInfo } from '../../core/sessions/shell.ts'
import type { SessionSubject, TerminalSize } from '../../core/sessions/subject.ts'
import { protocols } from './channels.ts'
import type { Entry, Visitor } from './entry.ts'
import { PodShell } from './pod-shell.ts'
import { ApiUnreachable, refusalOf, toStatus } from './status.ts'

export interface ExecDeps {
  cluster: OwnCluster
  settings: ClusterSettings
  sessions: LiveSessions
  locks: Pick<LockView, 'watch'>
  connections: ConnectionLimit
  log: Log
}

/** What runs, and where. */
export interface ExecTarget {
  readonly namespace: string
  readonly pod: string
  readonly container: string
  /** Undefined: what runs in the container already is attached to. */
  readonly command: readonly string[] | undefined
  readonly tty: boolean
  readonly stdin: boolean
  readonly stdout: boolean
  readonly stderr: boolean
}

/** Longer answers to a refused upgrade are no sentence. */
const refusalLimit = 64 * 1024

export function readExecTarget(
  { namespace, name, subresource }: { namespace: string; name: string; subresource: string },
  search: string,
): ExecTarget {
  const query = new URLSearchParams(search)
  const is = (field: string): boolean => ['true', '1', ''].includes((query.get(field) ?? 'false').toLowerCase())
  return {
    namespace,
    pod: name,
    container: query.get('container') ?? '',
    command: subresource === 'attach' ? undefined : query.getAll('command'),
    tty: is('tty'),
    stdin: is('stdin'),
    stdout: is('stdout'),
    stderr: is('stderr'),
  }
}

export function execPath({ namespace, pod, container, command, tty, stdin, stdout, stderr }: ExecTarget): string {
  const query = new URLSearchParams()
  if (container !== '') query.set('container', container)
  for (const word of command ?? []) query.append('command', word)
  for (const [name, value] of Object.entries({ stdin, stdout, stderr: stderr && !tty, tty })) if (value) query.set(name, 'true')
  const way = command === undefined ? 'attach' : 'exec'
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/${way}?${query}`
}

/** Rejects with the refusal of the cluster in its own words, or ApiUnreachable. */
async function openShell({ api, headers }: Entry, target: ExecTarget): Promise<PodShell> {
  const socket = api.webSocket(execPath(target), protocols, headers)
  const shell = new PodShell(socket, !target.tty && target.stderr)
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', (cause) => reject(new ApiUnreachable(`the pod cannot be reached: ${cause.message}`, { cause })))
    socket.once('unexpected-response', (_request, response) => {
      const parts: Buffer[] = []
      let length = 0
      response.on('data', (bytes: Buffer) => {
        length += bytes.length
        if (length <= refusalLimit) parts.push(bytes)
      })
      response.once('close', () => reject(refusalOf(response.statusCode ?? 502, Buffer.concat(parts).toString('utf8'))))
    })
  })
  return shell
}

const lockedOut = (reason: string): EndReason => ({ kind: 'cut', text: `The session is closed: ${reason}`, disconnected: reason })

function requestOf({ cluster, settings }: ExecDeps, entry: Entry, { caller, address }: Visitor, target: ExecTarget, size: TerminalSize) {
  const { options } = caller.access
  const { networking, sessionRecording } = settings
  const { name, labels } = entry.cluster
  const subject: SessionSubject = {
    sid: randomUUID(),
    user: caller.username,
    isBot: caller.isBot,
    login: entry.identity.user,
    clusterName: cluster.name,
    node: { id: name, hostname: name, addr: '', labels },
    kubernetes: { namespace: target.namespace, pod: target.pod, container: target.container, groups: entry.identity.groups },
    address,
    size,
    command: target.command?.join(' '),
    isInteractive: target.tty,
    assumed: caller.assumed,
    trustedDevice: caller.trustedDevice,
    withMfa: entry.withMfa,
  }
  const request: Omit<OpenSession, 'openShell'> = {
    subject,
    host: caller.access.sessionHost('k8s'),
    mode: sessionRecording.mode === 'off' ? 'off' : options.recordSsh,
    idleTimeout: smallest([options.clientIdleTimeout, networking.client_idle_timeout]),
    idleText: networking.client_idle_timeout_message,
    limit: options.maxSessions,
  }
  return request
}

/** Under the eyes of the locks, and counted. `open` is given what opens the shell. */
async function guarded<S extends { ended: Promise<void>; end: LiveSession['end'] }>(
  deps: ExecDeps,
  { caller }: Visitor,
  open: () => Promise<S>,
): Promise<S> {
  let session: S | undefined
  let locked: string | undefined
  using opened = new DisposableStack()
  opened.use(
    deps.locks.watch(subjectOfCaller(caller), (reason) => {
      locked = reason
      session?.end(lockedOut(reason))
    }),
  )
  opened.use(deps.connections.take(caller.username, caller.access.options.maxKubernetesConnections))
  session = await open()
  if (locked !== undefined) session.end(lockedOut(locked))
  const held = opened.move()
  void session.ended.then(() => held.dispose())
  return session
}

/** `onExit`: how the command ends, once it has. */
export const openPodTerminal = (
  deps: ExecDeps,
  entry: Entry,
  visitor: Visitor,
  target: ExecTarget,
  { size, onExit }: { size: TerminalSize; onExit?: (exit: Promise<ExitInfo>) => void },
): Promise<LiveSession> =>
  guarded(deps, visitor, () =>
    deps.sessions.open({
      ...requestOf(deps, entry, visitor, target, size),
      openShell: async () => {
        const shell = await openShell(entry, target)
        shell.setWindow(size.columns, size.rows)
        onExit?.(shell.exit)
        return shell
      },
      explain: (error) => `The session is closed: ${toStatus(error, deps.log).message}`,
    }),
  )

export const runInPod = (
  deps: ExecDeps,
  entry: Entry,
  visitor: Visitor,
  target: ExecTarget,
  client: CommandClient,
): Promise<CommandSession> =>
  guarded(deps, visitor, () =>
    deps.sessions.run(
      { ...requestOf(deps, entry, visitor, target, { columns: 80, rows: 25 }), openShell: () => openShell(entry, target) },
      client,
    ),
  )

/** A client that goes away hangs up. */
export function endWithSocket(socket: WebSocket, session: { end: LiveSession['end'] }): void {
  socket.once('close', () => session.end({ kind: 'cut', text: '' }))
}
