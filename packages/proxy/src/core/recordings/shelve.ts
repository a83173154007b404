/** Brings finished recordings to the remote store, and forgets those that are too old. */
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Library } from './library.ts'
import type { Recordings } from './recordings.ts'
import type { RemoteStore } from './remote/remote-store.ts'

/** Of the event that says that a recording is stored; it stands for no place in the session's order. */
const uploadEi = 2147483647
const day = 24 * 3_600_000
const sweepInterval = 3_600_000
const retryAfter = { first: 1000, most: 60_000 } as const

export interface ShelveDeps {
  recordings: Recordings
  remote: RemoteStore
  audit: Pick<Audit, 'emit' | 'search'>
  clock: Clock
  log: Log
  signal: AbortSignal
}

/**
 * Uploads one recording with what lies beside it, announces that it is stored, and removes it here. Tries until it
 * succeeds or the signal aborts: while the store is away, recordings wait on this machine.
 */
export async function shelve(sid: string, deps: ShelveDeps): Promise<void> {
  for (let wait: number = retryAfter.first; !deps.signal.aborted; wait = Math.min(wait * 2, retryAfter.most)) {
    try {
      return await shelveOnce(sid, deps)
    } catch (error) {
      if (deps.signal.aborted) return
      deps.log.warn({ err: error, sid }, 'a recording could not be uploaded; it is tried again')
      await pause(wait, undefined, { signal: deps.signal, ref: false }).catch(() => undefined) // aborted: the loop ends
    }
  }
}

async function shelveOnce(sid: string, { recordings, remote, audit, clock }: ShelveDeps): Promise<void> {
  const files = recordings.filesOf(sid)
  if (!(await exists(files.recording))) return // an earlier process came as far as that
  // The recording last: once it is there, all of it is.
  for (const file of [files.index, files.seal, files.keyFrames, files.recording])
    if (await exists(file)) await remote.put(basename(file), file)
  const known = await audit.search({
    from: new Date((await stat(files.recording)).mtimeMs - 7 * day),
    to: new Date(clock.now() + day),
    types: ['session.upload'],
    limit: 1,
    startKey: '',
    order: 'desc',
    accepts: (event) => event['sid'] === sid,
  })
  if (known.events.length === 0) {
    await using reader = await recordings.read(sid)
    const { user } = await reader.startEvent()
    await audit.emit('T2005I', { sid, user: String(user ?? ''), url: recordings.addressOf(sid), ei: uploadEi })
  }
  await recordings.removeHere(sid)
}

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  )

export interface RetentionDeps {
  recordings: Pick<Recordings, 'dated' | 'remove'>
  library: Pick<Library, 'remove'>
  /** Days after which a recording goes. */
  days: number
  clock: Clock
  log: Log
}

export interface Retention extends AsyncDisposable {
  /** Looks now. */
  sweep(): Promise<void>
}

/** Looks at once and then every hour, until it is disposed of. What could not be removed is tried again the next time. */
export function startRetention(deps: RetentionDeps): Retention {
  let running = sweep(deps)
  const again = (): Promise<void> => (running = running.then(() => sweep(deps)))
  const timer = setInterval(() => void again(), sweepInterval).unref()
  return {
    sweep: again,
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await running
    },
  }
}

async function sweep({ recordings, library, days, clock, log }: RetentionDeps): Promise<void> {
  try {
    const before = clock.now() - days * day
    for await (const { sid, modified } of recordings.dated()) {
      if (modified >= before) continue
      try {
        // Its text first: it is only found again while the recording is there.
        await library.remove(sid)
        await recordings.remove(sid)
        log.info({ sid }, 'a recording was removed: it is older than recordings are kept')
      } catch (error) {
        log.error({ err: error, sid }, 'an old recording could not be removed; it is tried again')
      }
    }
  } catch (error) {
    log.error({ err: error }, 'old recordings could not be looked for; it is tried again')
  }
}
