import { wholeNumber } from '../dialect.ts'
import type { Migration } from './migration.ts'

/** Conversations with the assistant. */
export const assistant: Migration = {
  name: '110-assistant',
  async up(db, dialect) {
    await db.schema
      .createTable('assistant_conversations')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('user', 'text', (column) => column.notNull())
      .addColumn('title', 'text', (column) => column.notNull())
      .addColumn('created', wholeNumber(dialect), (column) => column.notNull())
      .execute()
    await db.schema.createIndex('assistant_conversations_user').on('assistant_conversations').columns(['user', 'created']).execute()
    await db.schema
      .createTable('assistant_messages')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('conversation', 'text', (column) => column.notNull())
      .addColumn('user', 'text', (column) => column.notNull())
      .addColumn('position', wholeNumber(dialect), (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('payload', 'text', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('assistant_messages_order').on('assistant_messages').columns(['conversation', 'position']).execute()
    await db.schema.createIndex('assistant_messages_user').on('assistant_messages').column('user').execute()
  },
}
