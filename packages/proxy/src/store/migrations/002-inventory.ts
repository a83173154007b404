import { wholeNumber } from '../dialect.ts'
import type { Migration } from './migration.ts'

export const inventory: Migration = {
  name: '002-inventory',
  async up(db, dialect) {
    await db.schema
      .createTable('inventory')
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('document', 'text', (column) => column.notNull())
      .addColumn('expires', wholeNumber(dialect), (column) => column.notNull())
      .addPrimaryKeyConstraint('inventory_key', ['kind', 'id'])
      .execute()
  },
}
