/** One running session: a shell, the people in it, and what is kept of it. */
import { randomUUID } from 'node:crypto'
import { durationInWords } from '@sallyport/wire/entities/recording.ts'
import { connectionProblem } from '../errors.ts'
import type { RecordingError } from '../recordings/recording-error.ts'
import { startIdleTimer } from './idle-timer.ts'
import type { IdleTimer } from './idle-timer.ts'
import { OutputValve } from './output-valve.ts'
import type { Attendee, Membership } from './party.ts'
import { RecentOutput } from './recent-output.ts'
import type { RecordingMode, SessionLog } from './session-log.ts'
import type { ExitInfo, Shell } from './shell.ts'
import type { SessionSubject, TerminalSize } from './subject.ts'

/** A session without anybody in it waits this long for somebody to come back. */
const lingerTime = 20_000
/** A guest whose screen takes no output for this long is put out, so that the others can go on. */
const guestStallTime = 2_000
/** Input that the shell has not taken yet; beyond, the browser is made to wait. */
const inputLimit = 4 * 1024 * 1024
/** The browser hears of the end when it is written down, or after this. */
const endTimeout = 2_000
const interrupt = 0x03
export const idleForTooLong = (text: string): EndReason => ({
  kind: 'cut',
  text: text || 'The session is closed: it was idle for too long.',
  disconnected: 'the session was idle for too long',
})

export const recordingLost = (error: RecordingError): EndReason => ({
  kind: 'cut',
  text: `The session is closed, for it must be recorded. ${error.message}`,
  disconnected: 'the session could not be recorded',
})

export interface LiveSessionOptions {
  shell: Shell
  log: SessionLog
  mode: RecordingMode
  /** Milliseconds without a keystroke after which the session ends; 0 for never. */
  idleTimeout: number
  /** What people are told then; empty for our own words. */
  idleText: string
  now: () => number
}

export interface Party extends Attendee {
  readonly id: string
  lastActive: number
  stallTimer: NodeJS.Timeout | undefined
  readonly onAbort: () => void
}

export type EndReason =
  /** The shell said how it ended. */
  | { kind: 'exit' }
  /** `text` is for everybody's screen; `disconnected` is what the audit log says of the owner. */
  | { kind: 'cut'; text: string; disconnected?: string }

export class LiveSession {
  readonly subject: SessionSubject
  /** Epoch milliseconds. */
  readonly created: number
  /** Resolves when the end is written down and everybody is out. Does not reject. */
  readonly ended: Promise<void>
  readonly #shell: Shell
  readonly #log: SessionLog
  readonly #options: LiveSessionOptions
  readonly #parties = new Map<string, Party>()
  readonly #participants = new Set<string>()
  readonly #recent = new RecentOutput()
  readonly #valve: OutputValve
  readonly #idle: IdleTimer
  readonly #resolveEnded: () => void
  /** Set once it is ending. */
  #reason: EndReason | undefined
  /** What newcomers are told about the recording. */
  #recordingNotice: string | undefined
  #linger: NodeJS.Timeout | undefined
  #exit: ExitInfo | undefined
  #sent = 0
  #received = 0

  constructor(options: LiveSessionOptions) {
    this.#options = options
    this.#shell = options.shell
    this.#log = options.log
    this.subject = options.log.subject
    this.created = options.log.start
    this.#valve = new OutputValve(options.shell)
    this.#idle = startIdleTimer(
      options.idleTimeout,
      options.now,
      () => this.end(idleForTooLong(options.idleText)),
      (left) => this.#tellAll(`Nobody has typed anything for a while: this session ends in ${durationInWords(Math.max(left, 1000))}.`),
    )
    const { promise, resolve } = Promise.withResolvers<void>()
    this.ended = promise
    this.#resolveEnded = resolve
    this.#watchEnd()
    this.#shell.on('drain', () => this.#parties.forEach(({ sink }) => sink.resumeInput()))
  }

  get parties(): readonly Party[] {
    return [...this.#parties.values()]
  }

  /** Epoch milliseconds of the last keystroke. */
  get lastActive(): number {
    return this.#idle.last
  }

  get isRecorded(): boolean {
    return this.#recordingNotice === undefined && this.#log.isRecorded
  }

  get isModerated(): boolean {
    return false
  }

  /** Lets somebody in who may be; they get the recent output at once. Throws when the session is over. */
  join(attendee: Attendee): Membership {
    if (this.#reason)
      throw connectionProblem(this.#reason.kind === 'cut' && this.#reason.text !== '' ? this.#reason.text : 'The session has ended.')
    const id = randomUUID()
    const onAbort = (): void => this.#onSignedOut(party)
    const party: Party = { ...attendee, id, lastActive: this.#options.now(), stallTimer: undefined, onAbort }
    clearTimeout(this.#linger)
    this.#parties.set(id, party)
    this.#participants.add(attendee.user)
    this.#log.joined(attendee.user, attendee.address)
    attendee.signal.addEventListener('abort', onAbort, { once: true })
    const recent = this.#recent.bytes()
    if (recent.length > 0) party.sink.output(recent)
    if (this.#recordingNotice !== undefined) party.sink.notice(this.#recordingNotice)
    this.#valve.open((bytes) => this.#onOutput(bytes))
    if (attendee.signal.aborted) onAbort()
    return {
      id,
      input: (bytes) => this.#onInput(party, bytes),
      resize: (columns, rows) => this.#onResize(party, { columns, rows }),
      stall: (isFull) => this.#onStall(party, isFull),
      leave: () => this.#remove(party),
      disconnect: (reason) => this.#disconnect(party, reason),
    }
  }

  /** Milliseconds to the host and back, where that can be measured. */
  ping(): Promise<number | undefined> {
    return this.#shell.ping?.() ?? Promise.resolve(undefined)
  }

  /** Ends the session for everybody. */
  end(reason: EndReason): void {
    if (this.#reason) return
    this.#reason = reason
    void this.#finish(reason).finally(this.#resolveEnded)
  }

  /** The recorder has caught up. */
  onRecorderDrain(): void {
    this.#valve.release(this.#log)
  }

  /** Nothing is recorded any more: a session that must be recorded ends. */
  onRecordingLost(error: RecordingError): void {
    if (this.#options.mode === 'strict') this.end(recordingLost(error))
    else {
      this.#recordingNotice = `This session is not recorded. ${error.message}`
      this.#tellAll(this.#recordingNotice)
    }
  }

  #tellAll(text: string): void {
    for (const { sink } of this.#parties.values()) sink.notice(text)
  }

  #onOutput(bytes: Buffer): void {
    this.#sent += bytes.length
    if (!this.#log.output(bytes)) this.#valve.hold(this.#log)
    this.#recent.push(bytes)
    for (const { sink } of this.#parties.values()) sink.output(bytes)
  }

  #onInput(party: Party, bytes: Buffer): boolean {
    if (this.#reason) return true
    if (party.mode !== 'peer') {
      // Who only watches leaves with Ctrl-C.
      if (bytes.includes(interrupt)) this.#putOut(party)
      return true
    }
    this.#idle.touch()
    party.lastActive = this.#idle.last
    this.#received += bytes.length
    if (this.#shell.writable) this.#shell.write(bytes)
    return this.#shell.writableLength < inputLimit
  }

  #onResize(party: Party, size: TerminalSize): void {
    if (this.#reason || party.mode !== 'peer') return
    this.#shell.setWindow(size.columns, size.rows)
    const event = this.#log.resized(party.user, party.address, size)
    for (const other of this.#parties.values()) if (other !== party) other.sink.event(event)
  }

  #onStall(party: Party, isFull: boolean): void {
    clearTimeout(party.stallTimer)
    if (!isFull) return this.#valve.release(party)
    this.#valve.hold(party)
    if (party.user !== this.subject.user) party.stallTimer = setTimeout(() => this.#putOut(party), guestStallTime)
  }

  #putOut(party: Party): void {
    this.#remove(party)
    party.sink.close('cut')
  }

  #onSignedOut(party: Party): void {
    const ownerIsElsewhere = this.parties.some((other) => other !== party && other.user === this.subject.user)
    if (party.user === this.subject.user && !ownerIsElsewhere)
      return this.end({ kind: 'cut', text: 'The session is closed: you were signed out.', disconnected: 'the web session ended' })
    party.sink.notice('You left the session: you were signed out.')
    this.#putOut(party)
  }

  #disconnect(party: Party, reason: string): void {
    if (!this.#parties.has(party.id)) return
    party.sink.notice(`You left the session: ${reason}`)
    this.#log.disconnected(party.user, party.address, reason)
    this.#putOut(party)
  }

  #remove(party: Party): void {
    if (!this.#parties.delete(party.id)) return
    this.#forget(party)
    if (this.#reason) return
    this.#log.left(party.user, party.address)
    this.#valve.release(party)
    if (this.#parties.size === 0) this.#linger = setTimeout(() => this.end({ kind: 'cut', text: '' }), lingerTime)
  }

  #forget(party: Party): void {
    clearTimeout(party.stallTimer)
    party.signal.removeEventListener('abort', party.onAbort)
  }

  #watchEnd(): void {
    const shell = this.#shell
    let failure: Error | undefined
    shell.on('error', (error: Error) => (failure = error))
    // All output has been read when the stream ends, and it closes when it breaks.
    const over = new Promise<void>((resolve) => shell.once('end', resolve).once('close', resolve))
    void Promise.all([shell.exit, over]).then(([exit]) => {
      this.#exit = exit
      const { code, signal } = exit
      if (code !== undefined || signal !== undefined) this.end({ kind: 'exit' })
      else this.end({ kind: 'cut', text: `The connection to ${this.subject.node.hostname} was lost. ${failure?.message ?? ''}`.trim() })
    })
  }

  async #finish(reason: EndReason): Promise<void> {
    clearTimeout(this.#linger)
    this.#idle[Symbol.dispose]()
    this.#shell.destroy()
    if (reason.kind === 'cut' && reason.text !== '') this.#tellAll(reason.text)
    const parties = this.parties
    if (reason.kind === 'cut') this.#closeAll('cut')
    if (reason.kind === 'cut' && reason.disconnected !== undefined)
      this.#log.disconnected(this.subject.user, this.subject.address, reason.disconnected)
    for (const party of parties) {
      this.#forget(party)
      this.#log.left(party.user, party.address)
    }
    const written = this.#log.ended({ participants: [...this.#participants], sent: this.#sent, received: this.#received, exit: this.#exit })
    await Promise.race([written, new Promise((resolve) => setTimeout(resolve, endTimeout).unref())])
    this.#closeAll('exit')
    await written
  }

  #closeAll(how: 'exit' | 'cut'): void {
    const parties = this.parties
    this.#parties.clear()
    for (const { sink } of parties) sink.close(how)
  }
}
