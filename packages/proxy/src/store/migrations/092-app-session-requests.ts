import type { Migration } from './migration.ts'

/** Sessions on applications know which access requests they were begun with. */
export const appSessionRequests: Migration = {
  name: '092-app-session-requests',
  async up(db) {
    await db.schema
      .alterTable('app_sessions')
      .addColumn('assumed', 'text', (column) => column.notNull().defaultTo('[]'))
      .execute()
  },
}
