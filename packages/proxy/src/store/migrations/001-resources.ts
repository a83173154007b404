import { wholeNumber } from '../dialect.ts'
import type { Migration } from './migration.ts'

export const resources: Migration = {
  name: '001-resources',
  async up(db, dialect) {
    await db.schema
      .createTable('resources')
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('revision', 'text', (column) => column.notNull())
      .addColumn('document', 'text', (column) => column.notNull())
      .addColumn('expires', wholeNumber(dialect))
      .addPrimaryKeyConstraint('resources_key', ['kind', 'name'])
      .execute()
  },
}
