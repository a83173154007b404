/**
 * Closes what a process left behind that was killed, or could not write the end of a session: the recording gets the
 * events that are missing in it, the audit log those that are missing there, and the recording is sealed.
 */
import { auditCatalogue } from '@sallyport/wire/audit/catalogue.ts'
import type { AuditCode } from '@sallyport/wire/audit/catalogue.ts'
import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { endEvents } from '../recordings/recording-reader.ts'
import type { RecordingReader } from '../recordings/recording-reader.ts'
import type { Recordings } from '../recordings/recordings.ts'
import type { RecordedEvent } from '../recordings/records.ts'
import { recordedWhileRunning, uploadEi } from './subject.ts'

const interval = 60_000
const day = 24 * 3_600_000

export interface CompleterDeps {
  audit: Pick<Audit, 'emit' | 'search'>
  recordings: Recordings
  clock: Clock
  log: Log
  /** Sessions that run are left alone. */
  isLive: (sid: string) => boolean | Promise<boolean>
}

export interface Completer extends AsyncDisposable {
  /** Settles when everything that was left behind before the start has been seen to. */
  readonly caughtUp: Promise<void>
}

/** Completes at once and then every minute, until it is disposed of. */
export function startCompleter(deps: CompleterDeps): Completer {
  const caughtUp = completeAll(deps)
  let running = caughtUp
  const timer = setInterval(() => {
    running = running.then(() => completeAll(deps))
  }, interval).unref()
  return {
    caughtUp,
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await running
    },
  }
}

async function completeAll(deps: CompleterDeps): Promise<void> {
  const sids = await deps.recordings.unsealed().catch((error: unknown) => {
    deps.log.error({ err: error }, 'the directory of the recordings cannot be read')
    return []
  })
  for (const sid of sids)
    try {
      if (!(await deps.isLive(sid))) await complete(sid, deps)
    } catch (error) {
      deps.log.error({ err: error, sid }, 'an abandoned recording could not be completed')
    }
}

async function complete(sid: string, { audit, recordings, clock, log }: CompleterDeps): Promise<void> {
  const facts = await factsOf(recordings, sid)
  if (!facts) {
    // It died before the start of the session was written down, so there was no session. Damage is left alone.
    if (!(await recordings.isBlank(sid))) await (await recordings.recover(sid)).close()
    await recordings.discard(sid)
    return
  }
  const { start, end, hasEnd, isComplete } = facts
  if (start.event === 'app.session.chunk') return closeChunk(sid, isComplete, recordings)
  const known = await audit.search({
    from: new Date(Math.min(facts.startTime, clock.now()) - day),
    to: new Date(Math.max(clock.now(), facts.endTime) + day),
    types: [...endEvents, 'session.upload'],
    limit: 10,
    startKey: '',
    order: 'desc',
    accepts: (event) => event['sid'] === sid,
  })
  const isKnown = (type: string): boolean => known.events.some((event) => event.event === type)
  let ei: number | undefined
  if (!isComplete) {
    const recorder = await recordings.recover(sid)
    if (!hasEnd) ei = recorder.event(end)
    await recorder.finish()
  }
  const code = isDesktop(end) ? 'TDP01I' : 'T2004I'
  if (!isKnown(end.event)) await audit.emit(code, { ...withoutOwn(end), ...(ei !== undefined && { ei }) })
  const user = String(start['user'] ?? '')
  if (!recordings.isRemote && !isKnown('session.upload'))
    await audit.emit('T2005I', { sid, user, url: recordings.addressOf(sid), ei: uploadEi })
  await recordings.seal(sid)
  log.info({ sid }, 'an abandoned recording was completed')
}

/** What was asked of an application: a record that has no end of its own. */
async function closeChunk(sid: string, isComplete: boolean, recordings: Recordings): Promise<void> {
  if (!isComplete) await (await recordings.recover(sid)).finish()
  await recordings.seal(sid)
}

interface Facts {
  start: RecordedEvent
  startTime: number
  endTime: number
  /** The recorded end, or the one that is most likely. */
  end: RecordedEvent
  hasEnd: boolean
  /** Nothing more can be added to it. */
  isComplete: boolean
}

async function factsOf(recordings: Recordings, sid: string): Promise<Facts | undefined> {
  if (await recordings.isBlank(sid)) return undefined
  await using reader = await recordings.read(sid)
  return reader.isEmpty ? undefined : await collect(reader)
}

async function collect(reader: RecordingReader): Promise<Facts> {
  const start = await reader.startEvent()
  const participants = new Set([String(start['user'] ?? '')])
  let end: RecordedEvent | undefined
  let isEnhanced = false
  for await (const record of reader.records()) {
    if (record.kind !== 'event') continue
    if (record.event.event === 'session.join') participants.add(String(record.event['user'] ?? ''))
    isEnhanced ||= programEvents.has(record.event.event)
    if (endEvents.has(record.event.event)) end = record.event
  }
  const startTime = reader.start
  const endTime = reader.start + reader.durationMs
  const times = { session_start: new Date(startTime).toISOString(), session_stop: new Date(endTime).toISOString() }
  return {
    start,
    startTime,
    endTime,
    end: end ?? likelyEnd(start, [...participants], times, isEnhanced),
    hasEnd: end !== undefined,
    isComplete: reader.complete,
  }
}

const programEvents = new Set<string>([auditCatalogue.T4000I.type, auditCatalogue.T4001I.type, auditCatalogue.T4002I.type])
const endCode = 'T2004I' satisfies AuditCode
const desktopEndCode = 'TDP01I' satisfies AuditCode
const isDesktop = ({ event }: RecordedEvent): boolean => event.startsWith('windows.desktop.')

function likelyEnd(
  start: RecordedEvent,
  participants: readonly string[],
  times: { session_start: string; session_stop: string },
  isEnhanced: boolean,
): RecordedEvent {
  if (isDesktop(start)) {
    const { success: _success, ...common } = start
    return { ...common, event: 'windows.desktop.session.end', code: desktopEndCode, participants, recorded: true, ...times }
  }
  const { size, invited: _invited, reason: _reason, ...common } = start
  return {
    ...common,
    event: 'session.end',
    code: endCode,
    // One without a terminal has no size.
    interactive: size !== undefined,
    enhanced_recording: isEnhanced,
    participants,
    ...times,
    session_recording: recordedWhileRunning,
  }
}

/** Without what the audit log sets itself. */
function withoutOwn({ event: _event, code: _code, cluster_name: _cluster, ...fields }: RecordedEvent): Record<string, unknown> {
  return fields
}
