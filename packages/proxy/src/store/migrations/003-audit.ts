import { sql } from 'kysely'
import { wholeNumber } from '../dialect.ts'
import type { Migration } from './migration.ts'

const beforeFirst = '0'.repeat(64)

export const audit: Migration = {
  name: '003-audit',
  async up(db, dialect) {
    await db.schema
      .createTable('audit_events')
      .addColumn('seq', wholeNumber(dialect), (column) => column.primaryKey())
      .addColumn('time', wholeNumber(dialect), (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('code', 'text', (column) => column.notNull())
      .addColumn('uid', 'text', (column) => column.notNull())
      .addColumn('user', 'text', (column) => column.notNull())
      .addColumn('sid', 'text', (column) => column.notNull())
      .addColumn('doc', 'text', (column) => column.notNull())
      .addColumn('prev_hash', 'text', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('audit_events_time').on('audit_events').columns(['time', 'seq']).execute()
    await db.schema.createIndex('audit_events_type').on('audit_events').columns(['type', 'time', 'seq']).execute()
    await db.schema
      .createTable('audit_head')
      .addColumn('id', 'integer', (column) => column.primaryKey())
      .addColumn('seq', wholeNumber(dialect), (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull())
      .execute()
    await sql`insert into audit_head (id, seq, hash) values (1, 0, ${beforeFirst})`.execute(db)
  },
}
