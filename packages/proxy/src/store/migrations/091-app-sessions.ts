import { wholeNumber } from '../dialect.ts'
import type { Migration } from './migration.ts'

/** Sessions that browsers have on applications. */
export const appSessions: Migration = {
  name: '091-app-sessions',
  async up(db, dialect) {
    await db.schema
      .createTable('app_sessions')
      .addColumn('hash', 'text', (column) => column.primaryKey())
      .addColumn('subject_hash', 'text', (column) => column.notNull())
      .addColumn('sid', 'text', (column) => column.notNull())
      .addColumn('user', 'text', (column) => column.notNull())
      .addColumn('login_id', 'text', (column) => column.notNull())
      .addColumn('app', 'text', (column) => column.notNull())
      .addColumn('host', 'text', (column) => column.notNull())
      .addColumn('expires', wholeNumber(dialect), (column) => column.notNull())
      .execute()
    await db.schema.createIndex('app_sessions_login').on('app_sessions').column('login_id').execute()
  },
}
