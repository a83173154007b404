import type { Migration } from './migration.ts'

export const userAgents: Migration = {
  name: '020-user-agents',
  async up(db) {
    await db.schema
      .alterTable('web_sessions')
      .addColumn('user_agent', 'text', (column) => column.notNull().defaultTo(''))
      .execute()
  },
}
