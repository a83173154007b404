import { wholeNumber } from '../dialect.ts'
import type { Migration } from './migration.ts'

/** The tokens of before have no document, and nothing could join with them. */
export const joinTokens: Migration = {
  name: '050-join-tokens',
  async up(db, dialect) {
    await db.schema.dropTable('join_tokens').execute()
    await db.schema
      .createTable('join_tokens')
      .addColumn('hash', 'text', (column) => column.primaryKey())
      .addColumn('sealed', 'text', (column) => column.notNull())
      .addColumn('revision', 'text', (column) => column.notNull())
      .addColumn('expires', wholeNumber(dialect))
      .execute()
  },
}
