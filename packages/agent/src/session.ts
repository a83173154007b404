import { mayClientSet } from '@sallyport/protocols/ssh/client-environment.ts'
import { watchSubsystem, watchVariable } from '@sallyport/wire/program-watch.ts'
import type { PseudoTtyInfo, RejectConnection, ServerChannel, Session, X11Info } from 'ssh2'
import type { Account } from './accounts.ts'
import type { Display } from './display.ts'
import type { KeyAgent } from './key-agent.ts'
import { planLaunch } from './launch.ts'
import type { AgentLog } from './log.ts'
import { reportExit } from './process-exit.ts'
import type { ProgramWatch, ProgramWatches } from './programs/program-watches.ts'
import { serveWatch } from './programs/serve-watch.ts'
import { findSftpServer, whyNoSubsystem } from './sftp-server.ts'
import { runOnPipes, runOnTerminal } from './shell.ts'
import type { RunningShell } from './shell.ts'

/** What the certificate allows to whom. */
export interface SessionGrant {
  readonly account: Account
  readonly mayUseTerminal: boolean
  /** Runs instead of whatever is asked for. */
  readonly forcedCommand: string | undefined
  /** Brings the client's agent of keys here, where it may be forwarded. */
  readonly openKeyAgent: (() => Promise<KeyAgent>) | undefined
  /** Brings what programs draw to the client's display, where that may be forwarded. */
  readonly openDisplay: ((wish: X11Info) => Promise<Display>) | undefined
}

const maxVariables = 32
const termPattern = /^[\w.+-]{1,64}$/u
const cannotStart = 126

/** What all sessions of a connection share. */
export interface SessionSurroundings {
  readonly log: AgentLog
  readonly environment: Readonly<Record<string, string>>
  readonly watches: ProgramWatches
  /** Watches that the client has opened on this connection, by name. */
  readonly opened: Map<string, ProgramWatch>
}

/**
 * Serves one session channel: a terminal if asked for, then a shell, a command or SFTP. Everything else (other subsystems)
 * is refused.
 * `onStart` is told what runs.
 */
export function serveSession(
  session: Session,
  grant: SessionGrant,
  { log, environment, watches, opened }: SessionSurroundings,
  onStart: (shell: RunningShell) => void,
): void {
  const variables = new Map<string, string>()
  let terminal: PseudoTtyInfo | undefined
  let shell: RunningShell | undefined
  let keyAgent: KeyAgent | undefined
  let display: Display | undefined
  let watch: ProgramWatch | undefined

  const start = (channel: ServerChannel | undefined, requested: string | undefined): void => {
    if (!channel) return
    const command = grant.forcedCommand ?? requested
    const original = grant.forcedCommand !== undefined && requested !== undefined ? { SSH_ORIGINAL_COMMAND: requested } : {}
    try {
      const launch = planLaunch({
        account: grant.account,
        command,
        terminal: terminal !== undefined,
        env: { ...Object.fromEntries(variables), ...original, ...(keyAgent && { SSH_AUTH_SOCK: keyAgent.path }), ...display?.env },
        fixed: environment,
        group: watch?.group?.path,
      })
      watch?.skip(launch.preludes)
      if (terminal) {
        const term = termPattern.test(terminal.term) ? terminal.term : 'xterm'
        shell = runOnTerminal(channel, launch, term, { columns: terminal.cols, rows: terminal.rows })
      } else {
        shell = runOnPipes(channel, launch)
      }
      onStart(shell)
    } catch (error) {
      log.error({ err: error, login: grant.account.name }, 'a shell could not be started')
      channel.stderr.write('The shell could not be started; the log of the agent says why.\r\n')
      reportExit(channel, { code: cannotStart, signal: undefined })
    }
  }

  session.on('pty', (accept: (() => void) | undefined, reject: RejectConnection | undefined, info) => {
    if (!grant.mayUseTerminal) return reject?.()
    terminal = info
    accept?.()
  })
  session.on('window-change', (accept: (() => void) | undefined, _reject, info) => {
    shell?.resize({ columns: info.cols, rows: info.rows })
    if (terminal) terminal = { ...terminal, cols: info.cols, rows: info.rows }
    accept?.()
  })
  session.on('env', (accept: (() => void) | undefined, reject: RejectConnection | undefined, { key, val }) => {
    if (key === watchVariable) {
      watch = opened.get(val)
      return watch ? accept?.() : reject?.()
    }
    if (variables.size >= maxVariables || !mayClientSet(key, val)) return reject?.()
    variables.set(key, val)
    accept?.()
  })
  session.on('signal', (accept: (() => void) | undefined, _reject, { name }) => {
    shell?.signal(name)
    accept?.()
  })
  session.on('auth-agent', (accept: (() => void) | undefined, reject: RejectConnection | undefined) => {
    if (!grant.openKeyAgent || keyAgent) return reject?.()
    grant.openKeyAgent().then(
      (opened) => {
        keyAgent = opened
        session.once('close', () => void opened[Symbol.asyncDispose]())
        accept?.()
      },
      (error: unknown) => {
        log.warn({ err: error, login: grant.account.name }, "a client's agent of keys could not be offered")
        reject?.()
      },
    )
  })
  session.on('x11', (accept: (() => void) | undefined, reject: RejectConnection | undefined, wish) => {
    if (!grant.openDisplay || display) return reject?.()
    grant.openDisplay(wish).then(
      (opened) => {
        display = opened
        session.once('close', () => void opened[Symbol.asyncDispose]())
        accept?.()
      },
      (error: unknown) => {
        log.warn({ err: error, login: grant.account.name }, "a client's display could not be offered")
        reject?.()
      },
    )
  })
  session.on('shell', (accept) => start(accept(), undefined))
  session.on('exec', (accept, _reject, { command }) => start(accept(), command))
  session.on('subsystem', (accept, reject: RejectConnection | undefined, { name }) => {
    if (name === watchSubsystem) return void serveWatch(accept(), watches, opened, log)
    const program = name === 'sftp' ? findSftpServer() : undefined
    if (program !== undefined) return start(accept(), `exec ${program}`)
    log.warn({ login: grant.account.name, subsystem: name.slice(0, 64) }, whyNoSubsystem(name))
    reject?.()
  })
  session.on('close', () => void shell?.end())
}
