import type { Kysely } from 'kysely'
import type { Dialect } from '../dialect.ts'

export interface Migration {
  /** `NNN-what`, unique and never changed once released. */
  name: string
  // A migration speaks about tables as they were at its time, not as the current schema types describe them.
  up: (db: Kysely<unknown>, dialect: Dialect) => Promise<void>
}
