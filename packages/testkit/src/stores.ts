/** Both kinds of store, for suites that must hold on each: `describe.each(storeDialects)('$name', …)`. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StoreSource } from '@sallyport/proxy/store/db.ts'
import { startPostgres } from './targets/postgres.ts'
import { whyNoProgram } from './targets/programs.ts'

/** Empty stores of one kind, gone with everything in them when it is disposed. */
export interface Stores extends AsyncDisposable {
  source(): Promise<StoreSource>
}

export interface StoreDialect {
  name: string
  /** Why its suite is skipped; undefined when it can run. */
  skip: string | undefined
  open(): Promise<Stores>
}

const whyNoPostgres = whyNoProgram('initdb')

async function sqliteStores(): Promise<Stores> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-store-'))
  let count = 0
  return {
    source: () => Promise.resolve({ kind: 'sqlite', file: join(folder, `${++count}.db`) }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

async function postgresStores(): Promise<Stores> {
  const postgres = await startPostgres()
  return {
    source: async () => ({ kind: 'postgres', url: await postgres.createDatabase() }),
    [Symbol.asyncDispose]: () => postgres[Symbol.asyncDispose](),
  }
}

export const storeDialects: readonly StoreDialect[] = [
  { name: 'SQLite', skip: undefined, open: sqliteStores },
  { name: whyNoPostgres ? `PostgreSQL (skipped: ${whyNoPostgres})` : 'PostgreSQL', skip: whyNoPostgres, open: postgresStores },
]
