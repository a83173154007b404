/** The recordings of this proxy with everything that is made from them. */
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import type { Audit } from '../audit/audit.ts'
import type { MasterKey } from '../authorities/master-key.ts'
import type { Clock } from '../clock.ts'
import type { Duties } from '../generations/duties.ts'
import type { Log } from '../log.ts'
import { createLibrary } from './library.ts'
import type { Library } from './library.ts'
import { createLibraryThread } from './library-thread.ts'
import { createRecordings } from './recordings.ts'
import type { Recordings } from './recordings.ts'
import { createS3Store } from './remote/s3-store.ts'
import { openSealer } from './seal.ts'
import { shelve, startRetention } from './shelve.ts'

export interface OpenLibraryDeps {
  config: Pick<Config, 'dataDir' | 'databaseUrl' | 'recordingsUri' | 'recordingsRetentionDays'>
  /** Folder of the keys. */
  keys: string
  masterKey: MasterKey
  audit: Pick<Audit, 'emit' | 'search'>
  clock: Clock
  log: Log
  /** Recordings of before are taken in and uploaded, and those that are too old go, by one process for all. */
  duties: Pick<Duties, 'add' | 'handOn' | 'onHandedOn'>
}

export interface OpenedLibrary extends AsyncDisposable {
  recordings: Recordings
  library: Library
}

export async function openLibrary({ config, keys, masterKey, audit, clock, log, duties }: OpenLibraryDeps): Promise<OpenedLibrary> {
  const directory = join(config.dataDir, 'recordings')
  const sealer = await openSealer(join(keys, 'recordings-key.json'), masterKey)
  const { derivedKey: key } = sealer
  const index =
    config.databaseUrl === undefined
      ? { kind: 'sqlite' as const, file: join(config.dataDir, 'recordings-search.db') }
      : { kind: 'postgres' as const, url: config.databaseUrl }
  const remote = config.recordingsUri && createS3Store(config.recordingsUri)
  const shelving = new AbortController()
  const recordings = createRecordings(directory, {
    sealer,
    remote,
    onSealed: (sid) => {
      if (!duties.handOn(sid)) library.add(sid)
    },
  })
  const library = createLibrary({
    recordings,
    thread: createLibraryThread({ directory, key, index }),
    key,
    log,
    ...(remote && { onDone: (sid) => shelve(sid, { recordings, remote, audit, clock, log, signal: shelving.signal }) }),
  })
  await using opened = new AsyncDisposableStack()
  opened.use(library)
  opened.defer(() => shelving.abort())
  const days = config.recordingsRetentionDays
  opened.use(duties.onHandedOn(library.add))
  duties.add(() => {
    void library
      .catchUp(remote !== undefined)
      .catch((error: unknown) => log.warn({ err: error }, 'recordings of before could not be made searchable'))
    const retention = days === undefined ? undefined : startRetention({ recordings, library, days, clock, log })
    return {
      async [Symbol.asyncDispose]() {
        // What is under way is tried again by whoever does it next.
        shelving.abort()
        await retention?.[Symbol.asyncDispose]()
      },
    }
  })
  const closing = opened.move()
  return { recordings, library, [Symbol.asyncDispose]: () => closing.disposeAsync() }
}
