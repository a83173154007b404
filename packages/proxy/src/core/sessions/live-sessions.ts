/** The sessions that run in this proxy. */
import { isModerated } from '../access/session-access.ts'
import type { SessionHost } from '../access/session-access.ts'
import { accessDenied } from '../errors.ts'
import type { RecordingError } from '../recordings/recording-error.ts'
import { CommandSession } from './command-session.ts'
import type { CommandClient } from './command-session.ts'
import type { FileTransferApprovals } from './people/file-transfer-approvals.ts'
import { LiveSession } from './live-session.ts'
import type { EndReason } from './end-reason.ts'
import { openSessionLog } from './session-log.ts'
import type { RecordingMode, SessionLog, SessionLogDeps } from './session-log.ts'
import type { Shell } from './shell.ts'
import type { SessionSubject } from './subject.ts'

export interface OpenSession {
  subject: SessionSubject
  /** What the owner's roles demand of their sessions. */
  host: SessionHost
  mode: RecordingMode
  /** Milliseconds without a keystroke after which it ends; 0 for never. */
  idleTimeout: number
  /** What people are told then; ours when it is left out. */
  idleText?: string
  /** Sessions that the owner may have at a time, this one included; 0 for any number. */
  limit: number
  /** Called once the start of the session is durable, and in a moderated session once everybody is there who is needed. */
  openShell: () => Promise<Shell>
  /** The words for people when the shell of a moderated session does not open; a plain sentence when left out. */
  explain?: (error: unknown) => string
}

export interface LiveSessions extends AsyncDisposable, FileTransferApprovals {
  /**
   * Records and announces a session, then opens its shell, or leaves that to the session when others have to be there
   * first. Output waits until somebody joins.
   * Throws access denied when the owner has too many. Rejects when the start cannot be written down, or with whatever `openShell` rejects with.
   */
  open(request: OpenSession): Promise<LiveSession>
  /** The same for a command without a terminal, whose streams are the client's at once. */
  run(request: OpenSession, client: CommandClient): Promise<CommandSession>
  get(sid: string): LiveSession | undefined
  list(): LiveSession[]
  /** Whether the session runs or is just being opened or closed. */
  isLive(sid: string): boolean
  /** How many of a user's run; of everybody's when left out. Those that are just being opened or closed count. */
  count(user?: string): number
}

export interface LiveSessionsDeps extends SessionLogDeps {
  /** Milliseconds for which a session waits for its owner whose connection broke. */
  grace: number
  /** How many sessions of a user run in other generations of this proxy. */
  countElsewhere?: (user: string) => Promise<number>
}

const noShell = (): string => 'The session is closed: its shell could not be opened.'

export function createLiveSessions(deps: LiveSessionsDeps): LiveSessions {
  const running = new Map<string, LiveSession>()
  const commands = new Map<string, CommandSession>()
  /** Sid → owner, from before a session starts until its end is written down. */
  const busy = new Map<string, string>()
  let isStopping = false

  async function start(request: OpenSession): Promise<LiveSession> {
    const { subject, host, mode, idleTimeout, idleText = '', openShell, explain = noShell } = request
    let session: LiveSession | undefined
    // The recorder may fail before there is a session to tell.
    let lost: RecordingError | undefined
    const sessionLog = await openSessionLog(subject, mode, deps, {
      onDrain: () => session?.onRecorderDrain(),
      onLost: (error) => {
        lost = error
        session?.onRecordingLost(error)
      },
    })
    await sessionLog.started()
    const shell = isModerated(host) ? undefined : await openOrEnd(sessionLog, openShell)
    const now = () => deps.clock.now()
    session = new LiveSession({ host, openShell, explain, log: sessionLog, mode, idleTimeout, idleText, grace: deps.grace, now }, shell)
    running.set(subject.sid, session)
    if (lost) session.onRecordingLost(lost)
    if (isStopping) session.end(stopping)
    return session
  }

  async function startCommand({ idleText = '', openShell, ...request }: OpenSession, client: CommandClient): Promise<CommandSession> {
    let command: CommandSession | undefined
    let lost: RecordingError | undefined
    const log = await openSessionLog(request.subject, request.mode, deps, {
      onDrain: () => command?.onRecorderDrain(),
      onLost: (error) => {
        lost = error
        command?.onRecordingLost(error)
      },
    })
    await log.started()
    const shell = await openOrEnd(log, openShell)
    command = new CommandSession({ ...request, idleText, shell, log, now: () => deps.clock.now() }, client)
    commands.set(request.subject.sid, command)
    if (lost) command.onRecordingLost(lost)
    if (isStopping) command.end(stopping)
    return command
  }

  const count = (user?: string): number =>
    user === undefined ? busy.size : busy.values().reduce((sum, owner) => sum + (owner === user ? 1 : 0), 0)

  /** Counts a session as its owner's from before it starts until its end is written down. */
  async function counted<S extends { ended: Promise<void> }>(request: OpenSession, begin: () => Promise<S>): Promise<S> {
    const { sid, user } = request.subject
    const elsewhere = request.limit > 0 ? ((await deps.countElsewhere?.(user)) ?? 0) : 0
    if (request.limit > 0 && elsewhere + count(user) >= request.limit)
      throw accessDenied(`too many sessions: your roles allow ${request.limit} at a time, close one first`)
    busy.set(sid, user)
    const forget = (): void => {
      running.delete(sid)
      commands.delete(sid)
      busy.delete(sid)
    }
    try {
      const session = await begin()
      void session.ended.then(forget)
      return session
    } catch (error) {
      forget()
      throw error
    }
  }

  return {
    open: (request) => counted(request, () => start(request)),
    async run(request, client) {
      requireUnwatched(request.host)
      return counted(request, () => startCommand(request, client))
    },
    get: (sid) => running.get(sid),
    list: () => [...running.values()],
    isLive: (sid) => busy.has(sid),
    count,
    isNeeded: ({ access }) => isModerated(access.sessionHost('ssh')),
    take(sid, requestId, transfer) {
      const session = running.get(sid)
      const { node, login } = session?.subject ?? {}
      if (!session?.isModerated || node?.id !== transfer.node || login !== transfer.login)
        throw accessDenied('this file transfer was not approved; ask the moderators of the session again')
      session.transfers.take(requestId, transfer)
      const over = new AbortController()
      void session.ended.then(() => over.abort())
      return over.signal
    },
    async [Symbol.asyncDispose]() {
      isStopping = true
      const all = [...running.values(), ...commands.values()]
      for (const session of all) session.end(stopping)
      await Promise.all(all.map((session) => session.ended))
    },
  }
}

/** Throws access denied where others have to be present: only a terminal lets them. */
export function requireUnwatched(host: SessionHost): void {
  if (isModerated(host))
    throw accessDenied('others have to be present in your sessions, and only terminals can be watched; open a terminal instead')
}

/** The reason when the proxy stops. */
export const stopping: EndReason = {
  kind: 'cut',
  text: 'The session is closed: the proxy is stopping.',
  disconnected: 'the proxy is stopping',
}

/** A session that was announced ends in the log also when its shell never opened. */
async function openOrEnd(log: SessionLog, openShell: () => Promise<Shell>): Promise<Shell> {
  try {
    return await openShell()
  } catch (error) {
    await log.ended({ participants: [log.subject.user], sent: 0, received: 0 })
    throw error
  }
}
