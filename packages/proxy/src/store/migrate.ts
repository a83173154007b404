import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Dialect } from './dialect.ts'
import type { Migration } from './migrations/migration.ts'
import { StoreError } from './store-error.ts'

interface VersionTable {
  schema_version: { name: string; applied: string }
}

/** Proxies that share one PostgreSQL migrate one after the other. */
const lockKey = 7_201_433

/** Brings the database to the newest form: each migration in a transaction, each once. */
export async function migrate<DB>(database: Kysely<DB>, dialect: Dialect, migrations: readonly Migration[]): Promise<void> {
  // The same connection, seen by its version table: schema types say nothing about a database that is not migrated yet.
  const db = database as unknown as Kysely<VersionTable>
  const applied = await appliedNames(db)
  const newer = applied?.find((name) => !migrations.some((migration) => migration.name === name))
  if (newer !== undefined)
    throw new StoreError('newer', `The database was written by a newer version of Sallyport (it has "${newer}"); update this installation.`)
  if (applied && migrations.every(({ name }) => applied.includes(name))) return
  await db.transaction().execute(async (transaction) => {
    if (dialect === 'postgres') await sql`select pg_advisory_xact_lock(${sql.lit(lockKey)})`.execute(transaction)
    await transaction.schema
      .createTable('schema_version')
      .ifNotExists()
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('applied', 'text', (column) => column.notNull())
      .execute()
    const done = new Set((await transaction.selectFrom('schema_version').select('name').execute()).map(({ name }) => name))
    for (const { name, up } of migrations) {
      if (done.has(name)) continue
      await up(transaction as unknown as Kysely<unknown>, dialect)
      await transaction.insertInto('schema_version').values({ name, applied: new Date().toISOString() }).execute()
    }
  })
}

async function appliedNames(db: Kysely<VersionTable>): Promise<string[] | undefined> {
  const tables = await db.introspection.getTables()
  if (!tables.some(({ name }) => name === 'schema_version')) return undefined
  return (await db.selectFrom('schema_version').select('name').execute()).map(({ name }) => name)
}
