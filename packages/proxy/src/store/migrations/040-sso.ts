import { wholeNumber } from '../dialect.ts'
import type { Migration } from './migration.ts'

export const sso: Migration = {
  name: '040-sso',
  async up(db, dialect) {
    const time = wholeNumber(dialect)
    await db.schema
      .createTable('sso_requests')
      .addColumn('hash', 'text', (column) => column.primaryKey())
      .addColumn('sealed', 'text', (column) => column.notNull())
      .addColumn('expires', time, (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('saml_assertions')
      .addColumn('hash', 'text', (column) => column.primaryKey())
      .addColumn('expires', time, (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('connector_tests')
      .addColumn('hash', 'text', (column) => column.primaryKey())
      .addColumn('user', 'text', (column) => column.notNull())
      .addColumn('sealed', 'text')
      .addColumn('expires', time, (column) => column.notNull())
      .execute()
  },
}
