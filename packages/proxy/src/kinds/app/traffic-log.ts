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
  readonly until: number
}

/** `fields`: what every event of the session tells. `isStrict`: nothing is asked that is not recorded. */
export function createTrafficLog(fields: AuditFields, isStrict: boolean, deps: TrafficLogDeps): TrafficLog {
  const { audit, recordings, clock, log, clusterName, chunks } = deps
  let current: Promise<Chunk | undefined> | undefined
  let open: Chunk | undefined
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
      return await write(id)
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

  async function write(id: string): Promise<Chunk> {
    const begin = performance.now()
    const recorder = await recordings.create({
      sid: id,
      start: clock.now(),
      elapsed: () => performance.now() - begin,
      onDrain: () => {},
      onFailure: (error) => log.error({ err: error, sid: id }, 'the traffic of an application is not recorded any more'),
    })
    recorder.event(eventOf('T2008I', { session_chunk_id: id }))
    await recorder.flush()
    await audit.emit('T2008I', { ...fields, session_chunk_id: id })
    open = { id, recorder, until: performance.now() + chunkTime }
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
    open = undefined
    current = undefined
    if (chunk) finishing = Promise.all([finishing, finish(chunk)])
  }

  return {
    async ready() {
      if (!deps.isRecorded()) return
      if (open && (performance.now() > open.until || open.recorder.failure)) conclude()
      current ??= start()
      await current
    },
    requested({ method, url, status }) {
      // Not the query: it may hold what opens something.
      const [path = ''] = url.split('?', 1)
      open?.recorder.event(eventOf('T2009I', { method, path: path.slice(0, pathLength), status_code: status }))
    },
    async [Symbol.asyncDispose]() {
      await current?.catch(() => undefined)
      conclude()
      await finishing
    },
  }
}
