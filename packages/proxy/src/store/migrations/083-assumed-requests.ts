import type { Migration } from './migration.ts'

/** Sessions know which access requests they have assumed. */
export const assumedRequests: Migration = {
  name: '083-assumed-requests',
  async up(db) {
    await db.schema
      .alterTable('web_sessions')
      .addColumn('assumed', 'text', (column) => column.notNull().defaultTo('[]'))
      .execute()
  },
}
