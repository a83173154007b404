/** The recordings of this proxy with everything that is made from them. */
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import type { MasterKey } from '../authorities/master-key.ts'
import type { Log } from '../log.ts'
import { createLibrary } from './library.ts'
import type { Library } from './library.ts'
import { createLibraryThread } from './library-thread.ts'
import { createRecordings } from './recordings.ts'
import type { Recordings } from './recordings.ts'
import { openSealer } from './seal.ts'

export interface OpenLibraryDeps {
  config: Pick<Config, 'dataDir' | 'databaseUrl'>
  /** Folder of the keys. */
  keys: string
  masterKey: MasterKey
  log: Log
}

export interface OpenedLibrary extends AsyncDisposable {
  recordings: Recordings
  library: Library
}

export async function openLibrary({ config, keys, masterKey, log }: OpenLibraryDeps): Promise<OpenedLibrary> {
  const directory = join(config.dataDir, 'recordings')
  const sealer = await openSealer(join(keys, 'recordings-key.json'), masterKey)
  const thread = createLibraryThread({
    directory,
    key: sealer.derivedKey,
    index:
      config.databaseUrl === undefined
        ? { kind: 'sqlite', file: join(config.dataDir, 'recordings-search.db') }
        : { kind: 'postgres', url: config.databaseUrl },
  })
  const recordings = createRecordings(directory, { sealer, onSealed: (sid) => library.add(sid) })
  const library = createLibrary({ recordings, thread, key: sealer.derivedKey, log })
  void library.catchUp().catch((error: unknown) => log.warn({ err: error }, 'recordings of before could not be made searchable'))
  return { recordings, library, [Symbol.asyncDispose]: () => library[Symbol.asyncDispose]() }
}
