/** Everything that is kept of one session: its audit events and its recording, in one order. */
import { auditCatalogue } from '@sallyport/wire/audit/catalogue.ts'
import type { AuditCode } from '@sallyport/wire/audit/catalogue.ts'
import type { Audit, AuditFields } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Recorder } from '../recordings/recorder.ts'
import { RecordingError } from '../recordings/recording-error.ts'
import type { Recordings } from '../recordings/recordings.ts'
import type { PartyEvent } from './people/party.ts'
import { eventOf } from './program-reports.ts'
import type { ProgramReport, ProgramReports } from './program-reports.ts'
import { parseScp } from './scp-command.ts'
import type { ExitInfo } from './shell.ts'
import { commonFields, dataEi, initialCommand, notRecorded, recordedWhileRunning, sizeText, uploadEi } from './subject.ts'
import type { SessionSubject, TerminalSize } from './subject.ts'

/** `strict`: no session without its recording. `off`: the cluster records none. */
export type RecordingMode = 'strict' | 'best_effort' | 'off'

export interface SessionLogDeps {
  audit: Pick<Audit, 'emit'>
  recordings: Recordings
  clock: Clock
  /** Milliseconds that only ever grow. */
  steady: () => number
  log: Log
}

export interface SessionLogHooks {
  /** The recorder has caught up after `output` returned false. */
  onDrain: () => void
  /** Nothing is recorded any more. */
  onLost: (error: RecordingError) => void
}

export interface SessionTotals {
  participants: readonly string[]
  received: number
  sent: number
  /** How the command ended; undefined when nobody knows, or nothing ran. */
  exit?: ExitInfo | undefined
}

/** The event of a command that ran; of a shell there is none. */
function executed(subject: SessionSubject, { code, signal }: ExitInfo): [AuditCode, AuditFields] {
  const { command = '' } = subject
  const scp = parseScp(command)
  const codes = scp ? scpCodes[scp.action] : ({ done: 'T3002I', failed: 'T3002E' } as const)
  const fields = { ...commonFields(subject), command, exitCode: code === undefined ? '' : String(code), ...scp }
  if (code === 0) return [codes.done, fields]
  const exitError = code !== undefined ? `exit status ${code}` : signal !== undefined ? `killed by ${signal}` : 'the connection was lost'
  return [codes.failed, { ...fields, exitError }]
}

const scpCodes = { download: { done: 'T3004I', failed: 'T3004E' }, upload: { done: 'T3005I', failed: 'T3005E' } } as const

export class SessionLog {
  readonly subject: SessionSubject
  /** Epoch milliseconds of the session's start. */
  readonly start: number
  readonly #deps: SessionLogDeps
  readonly #mode: RecordingMode
  readonly #recorder: Recorder | undefined
  readonly #zero: number
  #audited: Promise<void> = Promise.resolve()
  #pendingResize: AuditFields | undefined
  #nextEi = 0
  /** Whether at least the start is in the recording. */
  #isRecorded = false
  #programs: ProgramReports | undefined

  constructor(
    subject: SessionSubject,
    mode: RecordingMode,
    deps: SessionLogDeps,
    recorder: Recorder | undefined,
    times: { start: number; zero: number },
  ) {
    this.subject = subject
    this.#mode = mode
    this.#deps = deps
    this.#recorder = recorder
    this.start = times.start
    this.#zero = times.zero
  }

  get isRecorded(): boolean {
    return this.#isRecorded
  }

  /** How the session is recorded, as its events say it. */
  get recordingText(): string {
    return this.#isRecorded ? recordedWhileRunning : notRecorded
  }

  /** Resolves when the start is durable in recording and audit log. Rejects when it is not: there must be no session then. */
  async started(): Promise<void> {
    const size = this.subject.isInteractive ? { size: sizeText(this.subject.size) } : {}
    const fields = { ...commonFields(this.subject), ...size, initial_command: initialCommand(this.subject), invited: [], reason: '' }
    const ei = this.#record('T2000I', { ...fields, session_recording: recordedWhileRunning })
    try {
      await this.#recorder?.flush()
      this.#isRecorded = this.#recorder !== undefined
    } catch (error) {
      if (this.#mode === 'strict') throw error
    }
    try {
      await this.#deps.audit.emit('T2000I', { ...fields, session_recording: this.recordingText, ei })
    } catch (error) {
      // Never announced, so it must not look like an abandoned session either.
      await this.#recorder?.close()
      await this.#deps.recordings.discard(this.subject.sid)
      throw error
    }
  }

  /** False: the recorder lags; pause the shell until `onDrain`. */
  output(bytes: Buffer): boolean {
    return this.#recorder?.print(bytes) ?? true
  }

  joined(user: string, address: string): void {
    this.#both('T2001I', commonFields(this.subject, user, address))
  }

  left(user: string, address: string): void {
    this.#both('T2003I', commonFields(this.subject, user, address))
  }

  disconnected(user: string, address: string, reason: string): void {
    this.#both('T3006I', { ...commonFields(this.subject, user, address), reason })
  }

  /** Writes down what the programs of the session do, also beyond its end, until none of them is left. */
  follow(programs: ProgramReports | undefined): void {
    this.#programs = programs
    if (programs) void this.#writePrograms(programs)
  }

  /** Returns the event for the other parties. While one is being written, only the newest waits. */
  resized(user: string, address: string, size: TerminalSize): PartyEvent {
    const fields = { ...commonFields(this.subject, user, address), size: sizeText(size) }
    const ei = this.#record('T2002I', fields)
    const alreadyWaiting = this.#pendingResize !== undefined
    this.#pendingResize = { ...fields, ei }
    if (!alreadyWaiting)
      this.#audit(() => {
        const newest = this.#pendingResize ?? fields
        this.#pendingResize = undefined
        return this.#deps.audit.emit('T2002I', newest)
      })
    return this.#sizeEvent({ ...fields, ei })
  }

  /** The size as somebody who joins is told of it; it is no event of the session. */
  sizeEvent(size: TerminalSize): PartyEvent {
    return this.#sizeEvent({ ...commonFields(this.subject), size: sizeText(size), ei: 0 })
  }

  /**
   * Writes the end, closes the recording and announces it. Never rejects: what cannot be written now stays in the
   * recording that is not sealed, and the completer makes up for it.
   */
  async ended({ participants, received, sent, exit }: SessionTotals): Promise<void> {
    const { audit, recordings, log } = this.#deps
    const { sid } = this.subject
    const common = commonFields(this.subject)
    const stopped = this.#now()
    await this.#programs?.over()
    const { kinds, missing } = this.#programs ?? { kinds: [], missing: [] }
    const end = {
      ...common,
      interactive: this.subject.isInteractive,
      enhanced_recording: kinds.length > 0,
      ...(missing.length > 0 && { enhanced_recording_missing: missing }),
      participants,
      session_start: new Date(this.start).toISOString(),
      session_stop: new Date(stopped).toISOString(),
      session_recording: this.recordingText,
      initial_command: initialCommand(this.subject),
    }
    if (exit && this.subject.command !== undefined) this.#both(...executed(this.subject, exit))
    const ei = this.#record('T2004I', end)
    const finished = this.#recorder?.finish().then(
      () => true,
      () => false,
    )
    await this.#audited
    try {
      await audit.emit('T2004I', { ...end, ei })
      await audit.emit('T2006I', { ...common, tx: sent, rx: received, ei: dataEi })
      if (!(await finished)) return
      if (!recordings.isRemote) await audit.emit('T2005I', { sid, user: this.subject.user, url: recordings.addressOf(sid), ei: uploadEi })
      await recordings.seal(sid)
    } catch (error) {
      await finished
      log.error({ err: error, sid }, 'the end of a session could not be written; it is tried again')
    }
  }

  #sizeEvent(fields: AuditFields): PartyEvent {
    return {
      ...fields,
      event: auditCatalogue.T2002I.type,
      code: 'T2002I',
      time: new Date(this.#now()).toISOString(),
      cluster_name: this.subject.clusterName,
    }
  }

  /** Wall clock of the session: its start plus the time that really passed. */
  #now(): number {
    return Math.round(this.start + this.#deps.steady() - this.#zero)
  }

  /** Returns the event's index. */
  #record(code: AuditCode, fields: AuditFields): number {
    if (this.#recorder)
      return this.#recorder.event({ event: auditCatalogue[code].type, code, cluster_name: this.subject.clusterName, ...fields })
    this.#nextEi += 1
    return this.#nextEi - 1
  }

  #both(code: AuditCode, fields: AuditFields): void {
    const ei = this.#record(code, fields)
    this.#audit(() => this.#deps.audit.emit(code, { ...fields, ei }))
  }

  /** The next are taken when these are in the log: a host that tells too much waits, not this proxy's memory. */
  async #writePrograms({ batches }: ProgramReports): Promise<void> {
    const { log } = this.#deps
    const { sid } = this.subject
    const onUnwritten = (error: unknown): void =>
      log.error({ err: error, sid }, 'what the programs of a session do could not be written to the audit log')
    try {
      for await (const batch of batches) await Promise.all(batch.map((report) => this.#writeProgram(report))).catch(onUnwritten)
    } catch (error) {
      log.error({ err: error, sid }, 'a host tells what the programs of a session do in a way that is not understood')
    }
  }

  async #writeProgram(report: ProgramReport): Promise<void> {
    const [code, fields] = eventOf(report)
    const told = { ...commonFields(this.subject), ...fields }
    // Files are too many for a recording that somebody wants to watch.
    const ei = report.kind === 'disk' ? dataEi : this.#record(code, told)
    await this.#deps.audit.emit(code, { ...told, ei })
  }

  #audit(emit: () => Promise<unknown>): void {
    this.#audited = this.#audited.then(emit).then(
      () => undefined,
      (error: unknown) =>
        this.#deps.log.error({ err: error, sid: this.subject.sid }, 'an event of a session could not be written to the audit log'),
    )
  }
}

/** Opens the recording. Rejects with RecordingError when it cannot be opened and the mode is strict. */
export async function openSessionLog(
  subject: SessionSubject,
  mode: RecordingMode,
  deps: SessionLogDeps,
  hooks: SessionLogHooks,
): Promise<SessionLog> {
  const start = deps.clock.now()
  const zero = deps.steady()
  const elapsed = (): number => deps.steady() - zero
  const create = () => deps.recordings.create({ sid: subject.sid, start, elapsed, onDrain: hooks.onDrain, onFailure: hooks.onLost })
  const recorder =
    mode === 'off'
      ? undefined
      : await create().catch((error: unknown) => {
          if (mode === 'strict' || !(error instanceof RecordingError)) throw error
          deps.log.warn({ err: error, sid: subject.sid }, 'a session starts without its recording')
          hooks.onLost(error)
          return undefined
        })
  return new SessionLog(subject, mode, deps, recorder, { start, zero })
}
