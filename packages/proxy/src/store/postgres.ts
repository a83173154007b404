/** Kysely over PostgreSQL. */
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { StoreError } from './store-error.ts'

const connectTimeout = 10_000
/** 64-bit whole numbers, as which this product stores only times and counters, far below 2^53. */
const int8 = pg.types.builtins.INT8

export function createPool(url: string, max: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: connectTimeout,
    types: { getTypeParser: (oid, format) => (oid === int8 ? Number : pg.types.getTypeParser(oid, format)) },
  })
  // An idle connection that breaks has left the pool by the time of this event; the next query opens a new one or fails itself.
  pool.on('error', () => undefined)
  return pool
}

/** Sees that the server answers. Throws StoreError without the password of the address. */
export async function checkReachable(pool: pg.Pool, url: string): Promise<void> {
  try {
    await pool.query('select 1')
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new StoreError(
      'unreachable',
      `The database at ${withoutPassword(url)} does not answer (${reason}); check that it is running and that the address is right.`,
      { cause },
    )
  }
}

function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return 'the configured address'
  const { host, pathname } = new URL(url)
  return `${host || 'local socket'}${pathname}`
}

export const kyselyOnPostgres = <DB>(pool: pg.Pool): Kysely<DB> => new Kysely<DB>({ dialect: new PostgresDialect({ pool }) })
