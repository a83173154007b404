/** Sessions on a node, from any client: a terminal in a browser has a connection of its own, a native client many on one. */
import { randomUUID } from 'node:crypto'
import { smallest } from '../../core/access/combine-options.ts'
import type { Actor } from '../../core/caller.ts'
import type { LockRefusal } from '../../core/locks/lock.ts'
import type { LiveSessions, OpenSession } from '../../core/sessions/live-sessions.ts'
import type { EndReason } from '../../core/sessions/end-reason.ts'
import type { LiveSession } from '../../core/sessions/live-session.ts'
import type { Shell } from '../../core/sessions/shell.ts'
import type { TerminalSize } from '../../core/sessions/subject.ts'
import type { ShellChannel } from './channel.ts'
import type { DisplayWish } from './client.ts'
import { auditRefusal, connectNode, publicText } from './connect-node.ts'
import type { ConnectNodeDeps, NodeConnection, NodeTarget, Requester } from './connect-node.ts'
import { watchPrograms } from './watch-programs.ts'

export interface OpenSessionDeps extends ConnectNodeDeps {
  sessions: LiveSessions
}

/** What runs on the terminal, and how it is set up. */
export interface TerminalRequest {
  /** The login shell when left out. */
  command?: string
  size: TerminalSize
  term?: string
  env?: Readonly<Record<string, string>>
  forwardKeyAgent?: boolean
  display?: DisplayWish | undefined
  /** For what is told to the shell besides input, and its end. */
  onShell?: (shell: ShellChannel) => void
}

/** On a connection of its own, for one terminal. Rejects with an error whose text (`publicText`) is for the person who asks. Refusals are audited. */
export async function openSession(
  deps: OpenSessionDeps,
  target: NodeTarget,
  requester: Requester,
  terminal: TerminalRequest,
): Promise<LiveSession> {
  const sid = randomUUID()
  const connection = await connectNode(deps, target, requester, sid)
  try {
    const session = await openTerminal(deps, connection, terminal, sid)
    void session.ended.then(() => connection[Symbol.asyncDispose]())
    return session
  } catch (error) {
    await connection[Symbol.asyncDispose]()
    throw error
  }
}

/** On a connection that may hold others. Refusals are audited. */
export async function openTerminal(
  deps: OpenSessionDeps,
  connection: NodeConnection,
  { command, size, term = 'xterm-256color', env = { COLORTERM: 'truecolor' }, forwardKeyAgent = false, display, onShell }: TerminalRequest,
  sid: string = randomUUID(),
): Promise<LiveSession> {
  const { ssh, locked, requester } = connection
  const subject = { ...connection.subject, sid, size, command, isInteractive: true }
  let isOpen = false
  try {
    const session = await deps.sessions.open({
      ...sessionRequest(deps, connection),
      subject,
      openShell: async () => {
        // In a moderated session the shell comes later, and then the session itself has an eye on all that ends it.
        if (!isOpen) throwIfCut(connection)
        const shell = await openWatched(connection, async (watchEnv) => {
          const pty = { term, cols: size.columns, rows: size.rows, env: { ...env, ...watchEnv }, forwardKeyAgent, display }
          return command === undefined ? ssh.shell(pty) : ssh.exec(command, { pty, env: pty.env, forwardKeyAgent, display })
        })
        onShell?.(shell)
        return Object.assign(shell, { ping: () => ssh.ping() })
      },
      explain: (error) => `The session is closed: ${publicText(error, deps.log)}`,
    })
    isOpen = true
    const end = (): void => session.end(lockedOut(locked.reason))
    locked.addEventListener('abort', end, { once: true })
    if (locked.aborted) end()
    void session.ended.then(() => locked.removeEventListener('abort', end))
    return session
  } catch (error) {
    const cause: unknown = locked.aborted ? locked.reason : error
    if (!requester.gone.aborted) await auditSessionRefusal(deps, connection, cause)
    throw cause
  }
}

/** A shell whose programs are told where the owner's roles want it. `open` gets what to ask for in its environment. */
export async function openWatched(
  connection: NodeConnection,
  open: (watchEnv: Readonly<Record<string, string>>) => Promise<ShellChannel>,
): Promise<ShellChannel & Pick<Shell, 'programs'>> {
  const watched = await watchPrograms(connection)
  try {
    const shell = await open(watched?.env ?? {})
    return watched ? Object.assign(shell, { programs: watched.reports }) : shell
  } catch (error) {
    watched?.cancel()
    throw error
  }
}

/** Milliseconds without activity after which what somebody has open ends; 0 for never. */
export const idleLimit = ({ settings }: Pick<OpenSessionDeps, 'settings'>, { access }: Actor): number =>
  smallest([access.options.clientIdleTimeout, settings.networking.client_idle_timeout])

/** What every session on the connection has in common. */
export function sessionRequest(
  { settings }: Pick<OpenSessionDeps, 'settings'>,
  { requester: { caller } }: NodeConnection,
): Omit<OpenSession, 'subject' | 'openShell'> {
  const { recordSsh, maxSessions } = caller.access.options
  const { networking, sessionRecording } = settings
  return {
    host: caller.access.sessionHost('ssh'),
    mode: sessionRecording.mode === 'off' ? 'off' : recordSsh,
    idleTimeout: idleLimit({ settings }, caller),
    idleText: networking.client_idle_timeout_message,
    limit: maxSessions,
  }
}

export function throwIfCut({ locked, requester: { gone, caller, stopping } }: NodeConnection): void {
  for (const signal of [gone, caller.signal, stopping, locked]) signal.throwIfAborted()
}

export const auditSessionRefusal = (deps: ConnectNodeDeps, { subject: { node, login }, requester }: NodeConnection, error: unknown) =>
  auditRefusal(deps, { kind: 'found', node, login }, requester, publicText(error, deps.log))

export const lockedOut = (refusal: LockRefusal): EndReason => ({
  kind: 'cut',
  text: `The session is closed: ${refusal.message}`,
  disconnected: refusal.message,
})
