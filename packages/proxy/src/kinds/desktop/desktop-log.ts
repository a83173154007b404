/** Everything that is kept of one desktop session: its audit events and its recording, in one order. */
import { auditCatalogue } from '@sallyport/wire/audit/catalogue.ts'
import type { AuditCode } from '@sallyport/wire/audit/catalogue.ts'
import type { AssumedRequest } from '../../core/access/assumed.ts'
import type { Audit, AuditFields } from '../../core/audit/audit.ts'
import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import type { Recorder } from '../../core/recordings/recorder.ts'
import type { Recordings } from '../../core/recordings/recordings.ts'
import { proofFields, requestFields, uploadEi } from '../../core/sessions/subject.ts'
import type { Desktop } from './desktop.ts'
import { shownAddress } from './desktop.ts'

export interface DesktopSubject {
  readonly sid: string
  readonly user: string
  readonly login: string
  readonly clusterName: string
  readonly desktop: Desktop
  /** Id of what reaches it. */
  readonly hostId: string
  /** `ip:port` of the person's browser. */
  readonly address: string
  /** The access requests that the person had assumed. */
  readonly assumed?: readonly AssumedRequest[] | undefined
  /** Id of the key that confirmed it, where one had to. */
  readonly withMfa?: string | undefined
}

interface SharedName {
  id: number
  name: string
}

/** What the desktop did with a file of a shared directory. */
export interface FileUse {
  directory: SharedName
  verb: 'read' | 'write'
  path: string
  offset: number
  length: number
  hasFailed: boolean
}

export interface DesktopLogDeps {
  audit: Pick<Audit, 'emit'>
  recordings: Recordings
  clock: Clock
  log: Log
}

export const commonFields = ({ sid, user, login, desktop, hostId, address, assumed, withMfa }: DesktopSubject): AuditFields => ({
  sid,
  user,
  user_kind: 1,
  ...requestFields(assumed),
  ...proofFields(withMfa),
  windows_desktop_service: hostId,
  desktop_addr: shownAddress(desktop.uri),
  desktop_name: desktop.id,
  windows_domain: desktop.domain,
  windows_user: login,
  desktop_labels: desktop.labels,
  'addr.remote': address,
  proto: 'tdp',
})

/** Marks the whole picture that follows it in the recording, from which a player may begin. */
export const keyFrameEvent = 'desktop.keyframe'

export class DesktopLog {
  readonly subject: DesktopSubject
  readonly #deps: DesktopLogDeps
  readonly #recorder: Recorder | undefined
  readonly #start: number
  readonly #zero = performance.now()
  #audited: Promise<unknown> = Promise.resolve()
  #nextEi = 0
  #isLagging = false
  #onRoom: (() => void) | undefined

  constructor(subject: DesktopSubject, deps: DesktopLogDeps, recorder: Recorder | undefined, start: number) {
    this.subject = subject
    this.#deps = deps
    this.#recorder = recorder
    this.#start = start
  }

  get isRecorded(): boolean {
    return this.#recorder !== undefined
  }

  /** Resolves when the start is durable in recording and audit log. Rejects when it is not: there must be no session then. */
  async started(): Promise<void> {
    const fields = { ...commonFields(this.subject), success: true }
    const ei = this.#record('TDP00I', fields)
    await this.#recorder?.flush()
    try {
      await this.#deps.audit.emit('TDP00I', { ...fields, ei })
    } catch (error) {
      await this.#recorder?.close()
      await this.#deps.recordings.discard(this.subject.sid)
      throw error
    }
  }

  /** A message as a player will show it. */
  shown(message: Uint8Array): void {
    const isRoomy = this.#recorder?.print(Buffer.from(message.buffer, message.byteOffset, message.byteLength)) ?? true
    this.#isLagging ||= !isRoomy
  }

  /** Resolves when the recorder has caught up. */
  roomy(): Promise<void> {
    if (!this.#isLagging) return Promise.resolve()
    return new Promise((resolve) => {
      this.#onRoom = resolve
    })
  }

  /** The recorder has caught up, or records nothing any more. */
  drained(): void {
    this.#isLagging = false
    this.#onRoom?.()
    this.#onRoom = undefined
  }

  /** `messages`: the whole picture. */
  keyFrame(messages: readonly Uint8Array[]): void {
    const bytes = messages.reduce((sum, { length }) => sum + length, 0)
    this.#recorder?.event({ event: keyFrameEvent, bytes })
    for (const message of messages) this.shown(message)
  }

  clipboard(way: 'sent' | 'received', length: number): void {
    const code = way === 'sent' ? 'TDP02I' : 'TDP03I'
    const fields = { ...commonFields(this.subject), length }
    const ei = this.#record(code, fields)
    this.#audit(code, { ...fields, ei })
  }

  /** `error`: why it is not shared. Resolves when that is durable. */
  directory({ id, name }: SharedName, error?: string): Promise<void> {
    const fields = {
      directory_id: id,
      directory_name: name.slice(0, 255),
      success: error === undefined,
      ...(error !== undefined && { error }),
    }
    return this.#noted(error === undefined ? 'TDP04I' : 'TDP04W', fields)
  }

  /** Resolves when it is durable. */
  file({ directory, verb, path, offset, length, hasFailed }: FileUse): Promise<void> {
    const codes = verb === 'read' ? (['TDP05I', 'TDP05W'] as const) : (['TDP06I', 'TDP06W'] as const)
    return this.#noted(codes[hasFailed ? 1 : 0], {
      directory_id: directory.id,
      directory_name: directory.name.slice(0, 255),
      file_path: path,
      offset,
      length,
      success: !hasFailed,
    })
  }

  disconnected(reason: string): void {
    const fields = { ...commonFields(this.subject), reason }
    this.#audit('T3006I', { ...fields, ei: this.#record('T3006I', fields) })
  }

  /** Writes the end, seals the recording and announces it. Never rejects: what cannot be written now, the completer makes up for. */
  async ended(): Promise<void> {
    const { audit, recordings, log } = this.#deps
    const { sid, user } = this.subject
    const stop = Math.round(this.#start + performance.now() - this.#zero)
    const end = {
      ...commonFields(this.subject),
      participants: [user],
      recorded: this.isRecorded,
      session_start: new Date(this.#start).toISOString(),
      session_stop: new Date(stop).toISOString(),
    }
    const ei = this.#record('TDP01I', end)
    const finished = this.#recorder?.finish().then(
      () => true,
      () => false,
    )
    await this.#audited
    try {
      await audit.emit('TDP01I', { ...end, ei })
      if (!(await finished)) return
      if (!recordings.isRemote) await audit.emit('T2005I', { sid, user, url: recordings.addressOf(sid), ei: uploadEi })
      await recordings.seal(sid)
    } catch (error) {
      await finished
      log.error({ err: error, sid }, 'the end of a desktop session could not be written; it is tried again')
    }
  }

  /** Rejects when it cannot be written: what it announces must not happen then. */
  #noted(code: AuditCode, own: AuditFields): Promise<void> {
    const fields = { ...commonFields(this.subject), ...own }
    const written = this.#deps.audit.emit(code, { ...fields, ei: this.#record(code, fields) }).then(() => undefined)
    this.#audited = Promise.allSettled([this.#audited, written])
    return written
  }

  /** Returns the event's index. */
  #record(code: AuditCode, fields: AuditFields): number {
    if (this.#recorder)
      return this.#recorder.event({ event: auditCatalogue[code].type, code, cluster_name: this.subject.clusterName, ...fields })
    this.#nextEi += 1
    return this.#nextEi - 1
  }

  #audit(code: AuditCode, fields: AuditFields): void {
    this.#audited = this.#audited
      .then(() => this.#deps.audit.emit(code, fields))
      .catch((error: unknown) =>
        this.#deps.log.error({ err: error, sid: this.subject.sid }, 'an event of a desktop session could not be written'),
      )
  }
}

/** Opens the recording. Rejects with RecordingError when it cannot be opened. `onLost`: nothing is recorded any more. */
export async function openDesktopLog(
  subject: DesktopSubject,
  isRecorded: boolean,
  deps: DesktopLogDeps,
  onLost: (error: Error) => void,
): Promise<DesktopLog> {
  const start = deps.clock.now()
  const zero = performance.now()
  const opened: { log?: DesktopLog } = {}
  const recorder = isRecorded
    ? await deps.recordings.create({
        sid: subject.sid,
        start,
        elapsed: () => performance.now() - zero,
        onDrain: () => opened.log?.drained(),
        onFailure: onLost,
      })
    : undefined
  return (opened.log = new DesktopLog(subject, deps, recorder, start))
}
