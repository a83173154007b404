/** One running session: a shell, the people in it, and what is kept of it. */
import { randomUUID } from 'node:crypto'
import type { SessionHost } from '../access/session-access.ts'
import { connectionProblem } from '../errors.ts'
import type { RecordingError } from '../recordings/recording-error.ts'
import { Absence } from './people/absence.ts'
import { Audience } from './people/audience.ts'
import type { Party } from './people/audience.ts'
import { Backlog } from './output/backlog.ts'
import { endOfShell, endReasons } from './end-reason.ts'
import type { EndReason } from './end-reason.ts'
import { FileTransferRequests } from './people/file-transfer-requests.ts'
import { startIdleTimer } from './idle-timer.ts'
import type { IdleTimer } from './idle-timer.ts'
import type { LiveSessionOptions } from './live-session-options.ts'
import type { ModerationState } from './people/moderation.ts'
import { notices } from './notices.ts'
import { OutputValve } from './output/output-valve.ts'
import type { Attendee, LeaveReason, Membership, Return } from './people/party.ts'
import { watchPresence } from './people/presence.ts'
import { Seats } from './people/seats.ts'
import type { SessionLog } from './session-log.ts'
import type { ExitInfo, Shell } from './shell.ts'
import type { SessionSubject, TerminalSize } from './subject.ts'
import { personOf, Supervision } from './people/supervision.ts'
import { watcherAsks } from './people/watcher-keys.ts'
import { SessionWindow } from './window.ts'

/** A guest whose screen takes no output for this long is put out, so that the others can go on. */
const guestStallTime = 2_000
/** Input that the shell has not taken yet; beyond, the browser is made to wait. */
const inputLimit = 4 * 1024 * 1024
/** The browser hears of the end when it is written down, or after this. */
const endTimeout = 2_000

export const recordingLost = (error: RecordingError): EndReason => ({
  kind: 'cut',
  text: `The session is closed, for it must be recorded. ${error.message}`,
  disconnected: 'the session could not be recorded',
})

export class LiveSession {
  readonly subject: SessionSubject
  readonly host: SessionHost
  /** Epoch milliseconds. */
  readonly created: number
  /** Resolves when the end is written down and everybody is out. Does not reject. */
  readonly ended: Promise<void>
  readonly transfers: FileTransferRequests
  readonly #log: SessionLog
  readonly #options: LiveSessionOptions
  readonly #audience: Audience
  readonly #supervision: Supervision
  readonly #seats: Seats
  readonly #absence: Absence
  readonly #window: SessionWindow
  readonly #participants = new Set<string>()
  readonly #valve = new OutputValve()
  readonly #recent = new Backlog(this.#valve)
  readonly #idle: IdleTimer
  readonly #resolveEnded: () => void
  #shell: Shell | undefined
  /** Set once it is ending. */
  #reason: EndReason | undefined
  /** What newcomers are told about the recording. */
  #recordingNotice: string | undefined
  #exit: ExitInfo | undefined
  #sent = 0
  #received = 0

  /** Begins with a shell unless it is moderated; then the shell is opened when everybody is there. */
  constructor(options: LiveSessionOptions, shell: Shell | undefined) {
    this.#options = options
    this.#log = options.log
    this.subject = options.log.subject
    this.host = options.host
    this.created = options.log.start
    this.#audience = new Audience(this.subject.user)
    this.#supervision = new Supervision({
      host: options.host,
      audience: this.#audience,
      valve: this.#valve,
      onStarted: () => void this.#launch(),
      onResumed: () => this.#recent.isAlternateScreen && this.#window.redraw(),
      onLost: () => this.end(endReasons.lacksModerators),
    })
    this.#seats = new Seats(options.grace)
    this.#window = new SessionWindow(this.subject.size)
    const onIdle = (): void => this.end(endReasons.idle(options.idleText))
    this.#idle = startIdleTimer(options.idleTimeout, options.now, onIdle, (left) => this.#audience.tell(notices.idle(left)))
    this.#absence = new Absence({
      grace: options.grace,
      onOver: () => this.end(endReasons.abandoned),
      onSignedOut: () => this.end(endReasons.signedOut),
    })
    this.transfers = new FileTransferRequests({
      sid: this.subject.sid,
      clusterName: this.subject.clusterName,
      tell: (event) => this.#audience.event(event),
      isEnough: (people) => this.#supervision.moderation.isEnough(people),
    })
    const { promise, resolve } = Promise.withResolvers<void>()
    this.ended = promise
    this.#resolveEnded = resolve
    if (shell) this.#use(shell)
  }

  get parties(): readonly Party[] {
    return this.#audience.all
  }

  /** Epoch milliseconds of the last keystroke. */
  get lastActive(): number {
    return this.#idle.last
  }

  get isRecorded(): boolean {
    return this.#recordingNotice === undefined && this.#log.isRecorded
  }

  /** It ends, and what it was is being written down. */
  get isEnding(): boolean {
    return this.#reason !== undefined
  }

  get isModerated(): boolean {
    return this.#supervision.moderation.isModerated
  }

  get state(): ModerationState {
    return this.#supervision.moderation.state
  }

  /** Who is still needed, in words; empty when nobody is. */
  get missing(): string {
    return this.#supervision.moderation.missing
  }

  /** Whether somebody comes back to a seat of theirs, from where they left it. */
  isSeated(token: string, user: string, webSession: string): boolean {
    return this.#seats.find(token, user, webSession) !== undefined
  }

  /** Throws access denied when there is no room for somebody. */
  requireRoom(user: string): void {
    this.#audience.requireRoom(user)
  }

  /**
   * Lets somebody in who may be; they get the recent output at once, or what they have not seen when they come `back`.
   * Throws when the session is over or full.
   */
  join(attendee: Attendee, back?: Return): Membership {
    if (this.#reason)
      throw connectionProblem(this.#reason.kind === 'cut' && this.#reason.text !== '' ? this.#reason.text : 'The session has ended.')
    const former = back && this.#seats.find(back.token, attendee.user, attendee.webSession)
    this.#audience.requireRoom(attendee.user, former)
    const replay = back && former !== undefined ? this.#recent.since(back.offset) : this.#recent.replay()
    if (former !== undefined) this.#replace(former)
    const id = randomUUID()
    const now = this.#options.now()
    const onAbort = (): void => this.#onSignedOut(party)
    const party: Party = { ...attendee, id, joined: now, lastActive: now, stallTimer: undefined, presence: undefined, onAbort }
    const { sink } = party
    sink.welcome(this.#seats.take({ id, user: party.user, webSession: party.webSession }, replay.offset))
    const isFirst = this.#participants.size === 0
    this.#absence.end(party.user === this.subject.user)
    this.#audience.add(party)
    this.#participants.add(party.user)
    this.#log.joined(party.user, party.address)
    this.#agreeOnSize(party, isFirst)
    const isBack = former !== undefined
    // Before the replay: the screen of a full-screen program has no place for them.
    if (this.#recordingNotice !== undefined) sink.notice(this.#recordingNotice)
    if (!isBack && party.mode !== 'peer') sink.notice(notices[party.mode])
    if (replay.modes.length > 0 && !(isBack && back?.offset === replay.offset)) sink.restore(replay.modes)
    if (replay.bytes.length > 0) sink.output(replay.bytes)
    this.#attend()
    if (!isFirst) this.#tellOthers(isBack ? notices.back(party.user) : notices.joined(party.user, party.mode), party)
    const { pending } = this.transfers
    if (pending) sink.event(pending)
    if (party.prove) {
      const { prove } = party
      party.presence = watchPresence({ prove, onAbsent: () => this.#disconnect(party, 'you did not confirm that you are there') }, () =>
        performance.now(),
      )
    }
    this.#supervision.follow(party)
    this.#audience.peopleChanged()
    if (replay.isPartial) this.#window.redraw()
    if (party.signal.aborted) onAbort()
    return {
      id,
      input: (bytes) => this.#onInput(party, bytes),
      resize: (columns, rows) => this.#onResize(party, { columns, rows }),
      stall: (isFull) => this.#onStall(party, isFull),
      requestTransfer: (wish) => {
        if (this.isModerated && party.mode === 'peer') this.transfers.ask(party.user, wish)
      },
      decideTransfer: (requestId, isApproved) => this.transfers.decide(personOf(party), requestId, isApproved),
      leave: (how = 'left') => this.#remove(party, how),
      disconnect: (reason) => this.#disconnect(party, reason),
    }
  }

  /** Milliseconds to the host and back, where that can be measured. */
  ping(): Promise<number | undefined> {
    return this.#shell?.ping?.() ?? Promise.resolve(undefined)
  }

  /** Ends the session for everybody. */
  end(reason: EndReason): void {
    if (this.#reason) return
    this.#reason = reason
    void this.#finish(reason).finally(this.#resolveEnded)
  }

  /** A moderator, or somebody who may, ends it. */
  terminate(by: string): void {
    this.end(endReasons.terminated(by))
  }

  /** Puts one party out; false when there is none such. */
  removeParty(id: string, by: string): boolean {
    const party = this.#audience.get(id)
    if (!party) return false
    party.sink.notice(notices.removed(by))
    this.#log.disconnected(party.user, party.address, `${by} removed them from the session`)
    this.#putOut(party)
    return true
  }

  /** The recorder has caught up. */
  onRecorderDrain(): void {
    this.#valve.release(this.#log)
  }

  /** Nothing is recorded any more: a session that must be recorded ends. */
  onRecordingLost(error: RecordingError): void {
    if (this.#options.mode === 'strict') this.end(endReasons.unrecorded(error.message))
    else {
      this.#recordingNotice = `This session is not recorded. ${error.message}`
      this.#audience.tell(this.#recordingNotice)
    }
  }

  #use(shell: Shell): void {
    this.#shell = shell
    this.#log.follow(shell.programs)
    this.#window.use(shell)
    void endOfShell(shell, this.subject.node.hostname).then(({ exit, reason }) => {
      this.#exit = exit
      this.end(reason)
    })
    shell.on('drain', () => this.parties.forEach(({ sink }) => sink.resumeInput()))
    if (this.#audience.size > 0) this.#attend()
  }

  /** Somebody is in: output flows, and only the usual part of it is kept. */
  #attend(): void {
    this.#recent.keepRecent()
    if (this.#shell) this.#valve.open(this.#shell, (bytes) => this.#onOutput(bytes))
  }

  /** Whoever is alone decides the size of the window; others are told which one it is. */
  #agreeOnSize(party: Party, isFirst: boolean): void {
    const { size } = party
    if (isFirst || !size || this.#window.isOfSize(size)) return
    if (party.mode === 'peer' && this.#audience.size === 1) this.#onResize(party, size)
    else party.sink.event(this.#log.sizeEvent(this.#window.size))
  }

  /** News that does not have to be told; it would only spoil the screen of a full-screen program. */
  #tellOthers(text: string, party: Party): void {
    if (this.parties.some((other) => other !== party) && !this.#recent.isAlternateScreen) this.#audience.tell(text, party)
  }

  async #launch(): Promise<void> {
    try {
      const shell = await this.#options.openShell()
      if (this.#reason) shell.destroy()
      else this.#use(shell)
    } catch (error) {
      this.end({ kind: 'cut', text: this.#options.explain(error) })
    }
  }

  #onOutput(bytes: Buffer): void {
    this.#sent += bytes.length
    if (!this.#log.output(bytes)) this.#valve.hold(this.#log)
    this.#recent.push(bytes)
    this.#audience.output(bytes)
  }

  #onInput(party: Party, bytes: Buffer): boolean {
    if (this.#reason) return true
    if (party.mode !== 'peer') {
      const asks = watcherAsks(party.mode, bytes)
      if (asks === 'leave') this.#putOut(party)
      else if (asks === 'terminate') this.terminate(party.user)
      return true
    }
    if (this.state !== 'running' || !this.#shell) return true
    this.#idle.touch()
    party.lastActive = this.#idle.last
    this.#received += bytes.length
    if (this.#shell.writable) this.#shell.write(bytes)
    return this.#shell.writableLength < inputLimit
  }

  #onResize(party: Party, size: TerminalSize): void {
    if (this.#reason || party.mode !== 'peer') return
    this.#window.resize(size)
    this.#audience.event(this.#log.resized(party.user, party.address, size), party)
  }

  #onStall(party: Party, isFull: boolean): void {
    clearTimeout(party.stallTimer)
    if (!isFull) return this.#valve.release(party)
    if (!this.#audience.get(party.id)) return
    this.#valve.hold(party)
    if (party.user !== this.subject.user) party.stallTimer = setTimeout(() => this.#putOut(party), guestStallTime)
  }

  #putOut(party: Party): void {
    this.#remove(party, 'left')
    party.sink.close('cut')
  }

  /** Somebody is back whose old connection may not have noticed yet that it is broken. */
  #replace(id: string): void {
    const party = this.#audience.remove(id)
    this.#seats.free(id)
    if (!party) return
    this.#log.left(party.user, party.address)
    this.#valve.release(party)
    party.sink.close('cut')
  }

  #onSignedOut(party: Party): void {
    const ownerIsElsewhere = this.parties.some((other) => other !== party && other.user === this.subject.user)
    if (party.user === this.subject.user && !ownerIsElsewhere) return this.end(endReasons.signedOut)
    party.sink.notice('You left the session: you were signed out.')
    this.#putOut(party)
  }

  #disconnect(party: Party, reason: string): void {
    if (!this.#audience.get(party.id)) return
    party.sink.notice(`You left the session: ${reason}`)
    this.#log.disconnected(party.user, party.address, reason)
    this.#putOut(party)
  }

  #remove(party: Party, how: LeaveReason): void {
    if (!this.#audience.remove(party.id) || this.#reason) return
    const isDropped = how === 'dropped'
    this.#log.left(party.user, party.address)
    this.#valve.release(party)
    if (isDropped) this.#seats.keep(party.id)
    else this.#seats.free(party.id)
    this.#tellOthers(isDropped ? notices.dropped(party.user) : notices.left(party.user), party)
    const isEmpty = this.#audience.size === 0
    if (party.user === this.subject.user && !this.#audience.hasOwner && (isDropped || isEmpty))
      this.#absence.ownerLeft(party.signal, isDropped)
    if (isEmpty) this.#absence.begin()
    if (isEmpty && isDropped && party.user === this.subject.user) this.#recent.keepAll()
    this.#supervision.follow()
    this.#audience.peopleChanged()
  }

  async #finish(reason: EndReason): Promise<void> {
    this.#absence.stop()
    this.#seats.clear()
    this.#window.stop()
    this.#idle[Symbol.dispose]()
    this.#shell?.destroy()
    if (reason.kind === 'cut' && reason.text !== '') this.#audience.tell(reason.text)
    const parties = this.parties
    if (reason.kind === 'cut') this.#audience.closeAll('cut')
    if (reason.kind === 'cut' && reason.disconnected !== undefined)
      this.#log.disconnected(this.subject.user, this.subject.address, reason.disconnected)
    for (const { user, address } of parties) this.#log.left(user, address)
    const written = this.#log.ended({ participants: [...this.#participants], sent: this.#sent, received: this.#received, exit: this.#exit })
    await Promise.race([written, new Promise((resolve) => setTimeout(resolve, endTimeout).unref())])
    this.#audience.closeAll('exit')
    await written
  }
}
