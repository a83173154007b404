/** Work that must not run twice at once, in any of the processes that share a store. */
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { openLockFile, sqliteCode } from './sqlite.ts'

type Alone = <T>(work: () => Promise<T>) => Promise<T>

const lockKey = 7_201_434

/** On a connection that does nothing else meanwhile: the lock is the connection's, and goes with it. */
export const aloneOnPostgres =
  <DB>(db: Kysely<DB>): Alone =>
  (work) =>
    db.connection().execute(async (connection) => {
      await sql`select pg_advisory_lock(${sql.lit(lockKey)})`.execute(connection)
      try {
        return await work()
      } finally {
        await sql`select pg_advisory_unlock(${sql.lit(lockKey)})`.execute(connection)
      }
    })

const busy = 5
const retryAfter = 20

/** The write lock of a file of its own, which nothing is written to: that of the store is needed by the work itself. */
export const aloneOnSqlite =
  (file: string): Alone =>
  async (work) => {
    // Nobody else has this one.
    if (file === ':memory:') return work()
    const turns = openLockFile(file.replace(/(\.[^./\\]+)?$/, '-turns$1'))
    try {
      for (;;) {
        try {
          turns.exec('begin immediate')
          break
        } catch (error) {
          if (sqliteCode(error) !== busy) throw error
          await delay(retryAfter)
        }
      }
      return await work()
    } finally {
      turns.close()
    }
  }
