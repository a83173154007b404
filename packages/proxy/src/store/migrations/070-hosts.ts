import { wholeNumber } from '../dialect.ts'
import type { Migration } from './migration.ts'

/** Hosts that joined with an agent. */
export const hosts: Migration = {
  name: '070-hosts',
  async up(db, dialect) {
    await db.schema
      .createTable('hosts')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('public_key', 'text', (column) => column.notNull())
      .addColumn('hostname', 'text', (column) => column.notNull())
      .addColumn('labels', 'text', (column) => column.notNull())
      .addColumn('expires', wholeNumber(dialect), (column) => column.notNull())
      .execute()
  },
}
