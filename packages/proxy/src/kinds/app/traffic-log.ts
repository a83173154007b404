/**
 * What somebody asked of an application: each request an event of a recording. A recording covers five minutes, so that a
 * session of hours can be looked at while it lasts; the audit log names each one.
 */
import { randomUUID } from 'node:crypto'
import { auditCatalogue } from '@sallyport/wire/audit/catalogue.ts'
import type { AuditCode } from '@sallyport/wire/audit/catalogue.ts'
import type { Audit, AuditFields } from '../../core/audit/audit.ts'
import type { Clock } from '../../core/clock.ts'
import { connectionProblem } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import type { Recorder } from '../../core/recordings/recorder.ts'
import type { RecordedEvent } from '../../core/recordings/records.ts'
import { RecordingError } from '../../core/recordings/recording-error.ts'
import type { Recordings } from '../../core/recordings/recordings.ts'

export interface TrafficLogDeps {
  audit: Pick<Audit, 'emit'>
  recordings: Pick<Recordings, 'create' | 'seal' | 'discard'>
  clock: Clock
  log: Pick<Log, 'error'>
  clusterName: string
  /** Recordings that are being written now. */
  chunks: Set<string>
  isRecorded: () => boolean
}

const chunkTime = 5 * 60_000
/** Of a path, in characters. */
const pathLength = 2048

export interface TrafficLog extends AsyncDisposable {
  /** Once it resolves the request may be passed on: the recording that it will stand in is announced, if it can be written. */
  ready(): Promise<void>
  requested(request: { method: string; url: string; status: number }): void
}

interface Chunk {
  readonly id: string
  readonly recorder: Recorder
}

/** `fields`: what every event of the session tells. `isStrict`: nothing is asked that is not recorded. */
export function createTrafficLog(fields: AuditFields, isStrict: boolean, deps: TrafficLogDeps): TrafficLog {
  const { audit, recordings, clock, log, clusterName, chunks } = deps
  let current: Promise<Chunk | undefined> | undefined
  let open: Chunk | undefined
  let full: NodeJS.Timeout | undefined
  let isOver = false
  let finishing: Promise<unknown> = Promise.resolve()

  const eventOf = (code: AuditCode, more: AuditFields) => ({
    event: auditCatalogue[code].type,
    code,
    cluster_name: clusterName,
    ...fields,
    ...more,
  })

  async function start(): Promise<Chunk | undefined> {
    const id = randomUUID()
    chunks.add(id)
    try {
      return await begin(id)
    } catch (error) {
      chunks.delete(id)
      current = undefined
      if (!(error instanceof RecordingError)) throw error
      log.error({ err: error, sid: id }, 'what is asked of an application cannot be recorded')
      if (isStrict)
        throw connectionProblem('what you ask of this application has to be recorded, and that is not possible now', { cause: error })
      return undefined
    }
  }

  async function begin(id: string): Promise<Chunk> {
    const zero = performance.now()
    const recorder = await recordings.create({
      sid: id,
      start: clock.now(),
      elapsed: () => performance.now() - zero,
      onDrain: () => {},
      onFailure: (error) => log.error({ err: error, sid: id }, 'the traffic of an application is not recorded any more'),
    })
    recorder.event(eventOf('T2008I', { session_chunk_id: id }))
    await recorder.flush()
    await audit.emit('T2008I', { ...fields, session_chunk_id: id })
    open = { id, recorder }
    full = setTimeout(conclude, chunkTime).unref()
    return open
  }

  async function finish({ id, recorder }: Chunk): Promise<void> {
    try {
      await recorder.finish()
      await recordings.seal(id)
    } catch (error) {
      log.error({ err: error, sid: id }, 'the record of what was asked of an application could not be finished')
    } finally {
      chunks.delete(id)
    }
  }

  /** What is being written stays in it; the next request begins another one. */
  function conclude(): void {
    const chunk = open
    clearTimeout(full)
    open = undefined
    current = undefined
    if (chunk) finishing = Promise.all([finishing, finish(chunk)])
  }

  async function ready(): Promise<void> {
    if (isOver || !deps.isRecorded()) return
    if (open?.recorder.failure) conclude()
    current ??= start()
    await current
  }
  const write = (event: RecordedEvent): void => void open?.recorder.event(event)

  return {
    ready,
    requested({ method, url, status }) {
      // Not the query: it may hold what opens something.
      const [path = ''] = url.split('?', 1)
      const event = eventOf('T2009I', { method, path: path.slice(0, pathLength), status_code: status })
      if (open) return write(event)
      // It took longer than the recording that it began with. One that cannot be written is in the log by now.
      ready().then(
        () => write(event),
        () => undefined,
      )
    },
    async [Symbol.asyncDispose]() {
      // What has just been cut is noted as well.
      await new Promise((resolve) => setImmediate(resolve))
      isOver = true
      await current?.catch(() => undefined)
      conclude()
      await finishing
    },
  }
}
