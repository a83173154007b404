/** Kysely over node:sqlite, and how a database file is opened. */
import { closeSync, openSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { SQLInputValue } from 'node:sqlite'
import { Kysely, SqliteDialect } from 'kysely'
import { z } from 'zod'
import { StoreError } from './store-error.ts'

/** Milliseconds that a statement waits for another process's lock. The event loop stands still meanwhile. */
const busyTimeout = 2000
/** Files up to this size are checked page by page when they are opened; it takes a few milliseconds. */
const checkedSize = 8 * 1024 * 1024

const sqliteFailure = z.object({ errcode: z.number() })
/** The primary result code of a failure inside SQLite; undefined for any other error. */
export const sqliteCode = (error: unknown): number | undefined => {
  const parsed = sqliteFailure.safeParse(error)
  return parsed.success ? parsed.data.errcode & 0xff : undefined
}
const codes = { busy: 5, locked: 6, readOnly: 8, ioError: 10, corrupt: 11, full: 13, cannotOpen: 14, notADatabase: 26 } as const

export function toStoreError(file: string, cause: unknown): unknown {
  switch (sqliteCode(cause)) {
    case codes.busy:
    case codes.locked:
      return new StoreError(
        'locked',
        `The database ${file} is locked by another process; stop that process, or choose another data directory.`,
        { cause },
      )
    case codes.corrupt:
    case codes.notADatabase:
      return new StoreError(
        'corrupt',
        `The database ${file} is damaged; restore it from a backup, or move it away to start with an empty one.`,
        { cause },
      )
    case codes.readOnly:
    case codes.ioError:
    case codes.full:
    case codes.cannotOpen:
      return unwritable(file, cause)
    default:
      return cause
  }
}

const unwritable = (file: string, cause: unknown): StoreError =>
  new StoreError(
    'unwritable',
    `The database ${file} cannot be written; check its folder, its owner, its permissions and the free disk space.`,
    { cause },
  )

/** Only its owner may read it; SQLite gives the files beside it the same permissions. */
function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, 'a', 0o600))
  } catch (cause) {
    throw unwritable(file, cause)
  }
}

/** Opens or creates a database file and sees that it is whole and can be written. Throws StoreError. */
export function openSqliteFile(file: string): DatabaseSync {
  const inMemory = file === ':memory:'
  if (!inMemory) createPrivately(file)
  let connection: DatabaseSync | undefined
  try {
    connection = new DatabaseSync(file, { timeout: busyTimeout })
    connection.exec('pragma foreign_keys = on; pragma journal_mode = wal; pragma synchronous = full;')
    // A write lock taken and given back shows a locked or unwritable file now instead of at the first sign-in.
    connection.exec('begin immediate; commit;')
    if (!inMemory && statSync(file).size <= checkedSize) checkPages(connection, file)
    return connection
  } catch (error) {
    connection?.close()
    throw toStoreError(file, error)
  }
}

/** A file that serves as a lock and holds nothing. A statement does not wait for it. */
export function openLockFile(file: string): DatabaseSync {
  createPrivately(file)
  return new DatabaseSync(file, { timeout: 0 })
}

function checkPages(connection: DatabaseSync, file: string): void {
  const [result] = connection.prepare('pragma quick_check(1)').all()
  const verdict = result?.['quick_check']
  if (verdict !== 'ok')
    throw new StoreError(
      'corrupt',
      `The database ${file} is damaged (${String(verdict)}); restore it from a backup, or move it away to start with an empty one.`,
    )
}

/** Kysely on one connection: it runs one query or transaction after the other. */
export function kyselyOnSqlite<DB>(connection: DatabaseSync): Kysely<DB> {
  const values = (parameters: readonly unknown[]): SQLInputValue[] => [...parameters] as SQLInputValue[]
  return new Kysely<DB>({
    dialect: new SqliteDialect({
      database: {
        close: () => connection.close(),
        prepare(text) {
          // One that reads first would fail at its first write when another process has written since.
          const statement = connection.prepare(text === 'begin' ? 'begin immediate' : text)
          return {
            reader: statement.columns().length > 0,
            all: (parameters) => statement.all(...values(parameters)),
            run: (parameters) => statement.run(...values(parameters)),
            iterate: (parameters) => statement.iterate(...values(parameters)),
          }
        },
      },
    }),
  })
}
