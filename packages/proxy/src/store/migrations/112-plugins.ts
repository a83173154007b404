import { wholeNumber } from '../dialect.ts'
import type { Migration } from './migration.ts'

/** How plugins are, and what they have to tell whom. */
export const plugins: Migration = {
  name: '112-plugins',
  async up(db, dialect) {
    const time = wholeNumber(dialect)
    await db.schema
      .createTable('plugin_states')
      .addColumn('plugin', 'text', (column) => column.primaryKey())
      .addColumn('since', time, (column) => column.notNull())
      .addColumn('status_code', 'integer', (column) => column.notNull())
      .addColumn('details', 'text', (column) => column.notNull())
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('due', time, (column) => column.notNull())
      .addColumn('checked', time, (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('plugin_messages')
      .addColumn('plugin', 'text', (column) => column.notNull())
      .addColumn('request', 'text', (column) => column.notNull())
      .addColumn('purpose', 'text', (column) => column.notNull())
      .addColumn('recipient', 'text', (column) => column.notNull())
      .addColumn('personal', 'integer', (column) => column.notNull())
      .addColumn('told', 'text', (column) => column.notNull())
      .addColumn('handle', 'text', (column) => column.notNull())
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('due', time, (column) => column.notNull())
      .addColumn('claim', 'text', (column) => column.notNull())
      .addColumn('claimed_until', time, (column) => column.notNull())
      .addColumn('settled', 'integer', (column) => column.notNull())
      .addColumn('error_code', 'integer', (column) => column.notNull())
      .addColumn('error', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('plugin_messages_key', ['plugin', 'request', 'purpose', 'recipient'])
      .execute()
    await db.schema.createIndex('plugin_messages_open').on('plugin_messages').columns(['settled', 'due']).execute()
  },
}
