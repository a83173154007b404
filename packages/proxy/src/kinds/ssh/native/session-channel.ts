/** One session channel of a native client: a terminal if asked for, then a shell, a command or a subsystem. */
import { mayClientSet } from '@sallyport/protocols/ssh/client-environment.ts'
import type { AuditCode } from '@sallyport/wire/audit/catalogue.ts'
import { terminalMaxDimension } from '@sallyport/wire/limits.ts'
import type { PseudoTtyInfo, RejectConnection, ServerChannel, Session } from 'ssh2'
import type { AuditFields } from '../../../core/audit/audit.ts'
import { accessDenied } from '../../../core/errors.ts'
import { requireUnwatched } from '../../../core/sessions/live-sessions.ts'
import type { LiveSession } from '../../../core/sessions/live-session.ts'
import type { Membership } from '../../../core/sessions/people/party.ts'
import type { ExitInfo } from '../../../core/sessions/shell.ts'
import type { TerminalSize } from '../../../core/sessions/subject.ts'
import type { ShellChannel } from '../channel.ts'
import type { DisplayWish } from '../client.ts'
import { publicText } from '../connect-node.ts'
import { openTerminal, sessionRequest } from '../open-session.ts'
import { copiesFiles, noFileCopy, runCommand } from '../run-command.ts'
import { CommandStreams } from './command-streams.ts'
import type { Display } from './display.ts'
import { mayForwardDisplay, readWish } from './display.ts'
import type { NodeService } from './node-service.ts'
import { reportExit } from './report-exit.ts'
import { SftpSession } from './sftp-session.ts'
import { TerminalScreen } from './terminal-screen.ts'

const maxVariables = 32
const termPattern = /^[\w.+-]{1,64}$/u
const unknownExit: ExitInfo = { code: undefined, signal: undefined }

type Reply = (() => void) | undefined

/** What was asked for before the session begins, and what reaches it while it runs. */
class SessionChannel {
  readonly #service: NodeService
  readonly #variables = new Map<string, string>()
  #terminal: PseudoTtyInfo | undefined
  #forwardsKeyAgent = false
  #hasAsked = false
  #display: Display | undefined
  /** What was asked for is in the audit log. */
  #noted: Promise<unknown> = Promise.resolve()
  #membership: Membership | undefined
  #shell: ShellChannel | undefined

  constructor(session: Session, service: NodeService) {
    this.#service = service
    session.on('pty', (accept: Reply, _reject, info) => {
      this.#terminal = info
      accept?.()
    })
    session.on('window-change', (accept: Reply, _reject, info) => {
      if (this.#terminal) this.#terminal = { ...this.#terminal, cols: info.cols, rows: info.rows }
      const { columns, rows } = sizeOf(info)
      this.#membership?.resize(columns, rows)
      accept?.()
    })
    session.on('env', (accept: Reply, reject: RejectConnection | undefined, { key, val }) => {
      if (this.#variables.size >= maxVariables || !mayClientSet(key, val)) return reject?.()
      this.#variables.set(key, val)
      accept?.()
    })
    session.on('signal', (accept: Reply, _reject, { name }) => {
      this.#shell?.signal(name)
      accept?.()
    })
    session.on('auth-agent', (accept: Reply, reject: RejectConnection | undefined) => {
      if (!service.request.caller.access.options.forwardAgent) return reject?.()
      this.#forwardsKeyAgent = true
      accept?.()
    })
    session.on('x11', (accept: Reply, reject: RejectConnection | undefined, info) => {
      if (this.#hasAsked) return reject?.()
      this.#hasAsked = true
      // Answers have to come in the order of the questions, so this one does not wait for the audit log; the session does.
      this.#display = mayForwardDisplay(service) ? readWish(info) : undefined
      if (this.#display) accept?.()
      else reject?.()
      const isGranted = this.#display !== undefined
      this.#noted = service.deps.audit.emit(isGranted ? 'T3008I' : 'T3008W', { ...service.eventFields(), success: isGranted })
      this.#noted.catch(() => undefined) // the session that waits for it says so
    })
    session.on('shell', (accept) => this.#start(accept(), undefined))
    session.on('exec', (accept, _reject, { command }) => this.#start(accept(), command))
    session.on(
      'subsystem',
      (accept: () => ServerChannel | undefined, _reject: RejectConnection | undefined, { name }: { name: string }) => {
        const channel = accept()
        if (channel) void this.#guarded(channel, () => this.#runSubsystem(channel, name))
      },
    )
  }

  #start(channel: ServerChannel | undefined, command: string | undefined): void {
    if (!channel) return
    const terminal = this.#terminal
    void this.#guarded(channel, () => (terminal ? this.#openTerminal(channel, terminal, command) : this.#run(channel, command)))
  }

  /** Why it failed is said on standard error, and the status is that of a failed connection. */
  async #guarded(channel: ServerChannel, work: () => Promise<void>): Promise<void> {
    channel.on('error', () => undefined) // a close follows
    try {
      await this.#noted
      await work()
    } catch (error) {
      const text = publicText(error, this.#service.deps.log)
      if (this.#terminal) channel.write(`${text}\r\n`)
      else channel.stderr.write(`${text}\n`)
      reportExit(channel, unknownExit)
    }
  }

  /** A node that forwards none is no reason to open nothing. */
  #displayFor(channel: ServerChannel): DisplayWish | undefined {
    const { deps } = this.#service
    return (
      this.#display && {
        ...this.#display,
        refused: async () => {
          await deps.audit.emit('T3008W', { ...this.#service.eventFields(), success: false })
          channel.stderr.write('the server does not forward X11\r\n')
        },
      }
    )
  }

  get #env(): Record<string, string> {
    return Object.fromEntries(this.#variables)
  }

  async #openTerminal(channel: ServerChannel, { term, ...info }: PseudoTtyInfo, command: string | undefined): Promise<void> {
    const { deps, requester, request } = this.#service
    const node = await this.#service.connect()
    const exit = Promise.withResolvers<ExitInfo>()
    const size = sizeOf(info)
    const session = await openTerminal(deps, node, {
      display: this.#displayFor(channel),
      ...(command === undefined ? {} : { command }),
      size,
      term: termPattern.test(term) ? term : 'xterm',
      env: this.#env,
      forwardKeyAgent: this.#forwardsKeyAgent,
      onShell: (shell) => {
        this.#shell = shell
        void shell.exit.then(exit.resolve)
      },
    })
    this.#service.hold(session)
    const screen = new TerminalScreen(channel, exit.promise)
    const { caller } = requester
    const membership = session.join({ user: caller.username, address: request.address, mode: 'peer', signal: caller.signal, sink: screen })
    this.#membership = membership
    screen.attach(membership)
    // The window may have changed meanwhile.
    const now = this.#terminal && sizeOf(this.#terminal)
    if (now && (now.columns !== size.columns || now.rows !== size.rows)) membership.resize(now.columns, now.rows)
    channel.once('close', () => leave(session, membership))
  }

  async #run(channel: ServerChannel, command: string | undefined): Promise<void> {
    const { deps } = this.#service
    if (command !== undefined && copiesFiles(command)) await this.#requireFileCopy('T3010E', { command })
    const node = await this.#service.connect()
    const session = await runCommand(
      deps,
      node,
      {
        command,
        env: this.#env,
        forwardKeyAgent: this.#forwardsKeyAgent,
        display: this.#displayFor(channel),
        onShell: (shell) => (this.#shell = shell),
      },
      new CommandStreams(channel),
    )
    this.#service.hold(session)
    channel.once('close', () => session.end({ kind: 'cut', text: '' }))
  }

  async #runSubsystem(channel: ServerChannel, name: string): Promise<void> {
    const { deps, requester } = this.#service
    const emit = (code: AuditCode, fields: AuditFields = {}) => deps.audit.emit(code, { ...this.#service.eventFields(), ...fields })
    if (name !== 'sftp') {
      await emit('T3001E', { name, exitError: 'not offered' })
      throw accessDenied(`the subsystem "${name}" is not offered`)
    }
    await this.#requireFileCopy('TS020E')
    await this.#requireUnwatched((exitError) => emit('T3001E', { name, exitError }))
    const node = await this.#service.connect()
    const { idleTimeout, idleText = '' } = sessionRequest(deps, node)
    try {
      const remote = await node.ssh.subsystem(name)
      await emit('T3001I', { name })
      const session = new SftpSession({ channel, remote, idleTimeout, idleText, now: () => deps.clock.now(), emit })
      this.#service.hold(session)
    } catch (error) {
      if (!requester.gone.aborted) await emit('T3001E', { name, exitError: publicText(error, deps.log) })
      throw error
    }
  }

  /** Copying may be forbidden by role; a shell may copy all the same. */
  async #requireFileCopy(code: 'TS020E' | 'T3010E', more: AuditFields = {}): Promise<void> {
    const { deps, request } = this.#service
    if (request.caller.access.options.fileCopy) return
    // No session has begun.
    await deps.audit.emit(code, { ...this.#service.eventFields(), sid: '', ...more })
    throw noFileCopy()
  }

  /** Where others have to be present, nothing runs that they cannot watch. */
  async #requireUnwatched(note: (reason: string) => Promise<unknown>): Promise<void> {
    const { deps, request } = this.#service
    try {
      requireUnwatched(request.caller.access.sessionHost('ssh'))
    } catch (error) {
      await note(publicText(error, deps.log))
      throw error
    }
  }
}

export function serveSession(session: Session, service: NodeService): void {
  // It lives on in its listeners.
  void new SessionChannel(session, service)
}

/** A client that goes away hangs up, unless somebody else is in the session. */
function leave(session: LiveSession, membership: Membership): void {
  membership.leave()
  if (session.parties.length === 0) session.end({ kind: 'cut', text: '' })
}

const clamp = (value: number, fallback: number): number => (value >= 1 ? Math.min(Math.floor(value), terminalMaxDimension) : fallback)
const sizeOf = ({ cols, rows }: { cols: number; rows: number }): TerminalSize => ({ columns: clamp(cols, 80), rows: clamp(rows, 24) })
