/** Stand-ins for the ends of a session: a shell, a screen and an audit log in memory. For tests only. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import type { AuditCode } from '@sallyport/wire/audit/catalogue.ts'
import type { AuditEventWire } from '@sallyport/wire/audit/event.ts'
import type { Audit, AuditQuery } from '../audit/audit.ts'
import { createLog } from '../log.ts'
import type { HostRole } from '../access/session-access.ts'
import { createRecordings } from '../recordings/recordings.ts'
import type { Recordings } from '../recordings/recordings.ts'
import type { LiveSession } from './live-session.ts'
import { createLiveSessions } from './live-sessions.ts'
import type { LiveSessions, OpenSession } from './live-sessions.ts'
import type { Attendee, Membership, PartyEvent, PartySink, Return } from './people/party.ts'
import type { Seat } from './people/seats.ts'
import type { ExitInfo, Shell } from './shell.ts'

/** A shell in memory: `says` is its output, `heard` what was typed. */
export class FakeShell extends Duplex implements Shell {
  readonly #exit = Promise.withResolvers<ExitInfo>()
  readonly exit = this.#exit.promise
  readonly heard: Buffer[] = []
  readonly windows: string[] = []
  isStuck = false
  #stuck: (() => void) | undefined
  asked = 0
  says(bytes: Buffer | string): boolean {
    return this.push(Buffer.from(bytes))
  }
  exits(info: ExitInfo = { code: 0, signal: undefined }): void {
    this.#exit.resolve(info)
    this.push(null)
  }
  unstick(): void {
    this.isStuck = false
    this.#stuck?.()
  }
  setWindow(columns: number, rows: number): void {
    this.windows.push(`${columns}x${rows}`)
  }
  override _read(): void {
    this.asked += 1
  }
  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: () => void): void {
    this.heard.push(chunk)
    if (this.isStuck) this.#stuck = callback
    else callback()
  }
  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#exit.resolve({ code: undefined, signal: undefined })
    callback(error)
  }
}

export class Screen implements PartySink {
  readonly seen: Buffer[] = []
  readonly events: PartyEvent[] = []
  readonly notices: string[] = []
  readonly closed = Promise.withResolvers<'exit' | 'cut'>()
  resumed = 0
  seat: Seat | undefined
  /** What restored the terminal. */
  restored = ''
  get text(): string {
    return Buffer.concat(this.seen).toString()
  }
  welcome(seat: Seat): void {
    this.seat = seat
  }
  restore(bytes: Buffer): void {
    this.restored += bytes.toString()
  }
  output(bytes: Buffer): void {
    this.seen.push(bytes)
  }
  event(event: PartyEvent): void {
    this.events.push(event)
  }
  notice(text: string): void {
    this.notices.push(text)
  }
  resumeInput(): void {
    this.resumed += 1
  }
  close(how: 'exit' | 'cut'): void {
    this.closed.resolve(how)
  }
}

export class FakeAudit implements Pick<Audit, 'emit' | 'search'> {
  readonly events: (AuditEventWire & { code: AuditCode })[] = []
  failing = new Set<AuditCode>()
  get codes(): AuditCode[] {
    return this.events.map(({ code }) => code)
  }
  of(code: AuditCode): Record<string, unknown> {
    return this.events.find((event) => event.code === code) ?? {}
  }
  emit(code: AuditCode, fields: object) {
    if (this.failing.has(code)) return Promise.reject(new Error('the database is down'))
    const types: Partial<Record<AuditCode, string>> = { T2004I: 'session.end', T2005I: 'session.upload' }
    const event = { ...fields, code, event: types[code] ?? '', time: '' }
    this.events.push(event)
    return Promise.resolve(event)
  }
  search({ accepts, types }: AuditQuery) {
    return Promise.resolve({ events: this.events.filter((event) => types?.includes(event.event) && accepts?.(event)), startKey: '' })
  }
}

export const grace = 120_000
export const log = createLog('silent')
export const clock = { now: () => Date.UTC(2026, 10, 21) }
export const node = { id: randomUUID(), hostname: 'web-1', addr: '', labels: { env: 'dev' } }
export const request = (shell: Shell, changes: Partial<OpenSession> = {}): OpenSession => ({
  subject: {
    sid: randomUUID(),
    user: 'alice',
    login: 'root',
    clusterName: 'main',
    node,
    address: '127.0.0.1:1',
    size: { columns: 80, rows: 25 },
    isInteractive: true,
  },
  host: { user: 'alice', roles: [] },
  mode: 'strict',
  idleTimeout: 0,
  limit: 0,
  openShell: () => Promise.resolve(shell),
  ...changes,
})
export const attendee = (sink: PartySink, changes: Partial<Attendee> = {}): Attendee => ({
  user: 'alice',
  address: '127.0.0.1:1',
  mode: 'peer',
  signal: new AbortController().signal,
  sink,
  ...changes,
})

/** What the recording of a session holds. */
export async function recordedOf(recordings: Recordings, sid: string): Promise<{ output: Buffer; events: string[] }> {
  await using reader = await recordings.read(sid)
  const records = await Array.fromAsync(reader.records())
  const output = Buffer.concat(await Array.fromAsync(reader.stream(0, reader.length)))
  return { output, events: records.flatMap((record) => (record.kind === 'event' ? [record.event.event] : [])) }
}

/** A role whose owner's sessions need people with the role auditor as moderators. */
const watchedBy = (onLeave: 'pause' | 'terminate', count = 1): HostRole => ({
  name: 'watched',
  version: 'v6',
  policies: [{ name: 'eyes', count, modes: ['moderator'], onLeave, admits: ({ spec }) => spec.roles.includes('auditor') }],
})
export const moderated = (shell: FakeShell, onLeave: 'pause' | 'terminate' = 'pause', count = 1) =>
  request(shell, { host: { user: 'alice', roles: [watchedBy(onLeave, count)] } })
export interface Seated {
  screen: Screen
  me: Membership
}
export function enter(session: LiveSession, changes: Partial<Attendee> = {}, back?: Return): Seated {
  const screen = new Screen()
  return { screen, me: session.join(attendee(screen, { webSession: 'w', ...changes }), back) }
}
/** Somebody whom moderated sessions wait for. */
export const moderator = { user: 'bob', mode: 'moderator', roles: ['auditor'] } as const
/** Everything that is under way has arrived. */
export const flushed = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export interface SessionsAlone extends AsyncDisposable {
  readonly directory: string
  readonly recordings: Recordings
  readonly audit: FakeAudit
  readonly sessions: LiveSessions
}

/** The service of sessions with recordings in a directory of its own. */
export async function openSessions(): Promise<SessionsAlone> {
  const directory = await mkdtemp(join(tmpdir(), 'sessions-'))
  const recordings = createRecordings(directory)
  const audit = new FakeAudit()
  const sessions = createLiveSessions({ audit, recordings, clock, steady: () => performance.now(), log, grace })
  return {
    directory,
    recordings,
    audit,
    sessions,
    async [Symbol.asyncDispose]() {
      await sessions[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
