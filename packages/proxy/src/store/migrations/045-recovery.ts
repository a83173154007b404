import { wholeNumber } from '../dialect.ts'
import type { Migration } from './migration.ts'

export const recovery: Migration = {
  name: '045-recovery',
  async up(db, dialect) {
    const time = wholeNumber(dialect)
    await db.schema
      .createTable('recovery_codes')
      .addColumn('hash', 'text', (column) => column.primaryKey())
      .addColumn('user', 'text', (column) => column.notNull())
      .addColumn('created', time, (column) => column.notNull())
      .execute()
    await db.schema.createIndex('recovery_codes_user').on('recovery_codes').column('user').execute()
    await db.schema
      .createTable('recovery_failures')
      .addColumn('user', 'text', (column) => column.primaryKey())
      .addColumn('count', 'integer', (column) => column.notNull())
      .addColumn('first', time, (column) => column.notNull())
      .addColumn('locked_until', time, (column) => column.notNull())
      .execute()
    await db.schema.alterTable('user_tokens').addColumn('lost', 'text').execute()
  },
}
