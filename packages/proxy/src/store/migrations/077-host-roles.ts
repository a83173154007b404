import type { Migration } from './migration.ts'

/** What a host may be besides a server. */
export const hostRoles: Migration = {
  name: '077-host-roles',
  async up(db) {
    await db.schema
      .alterTable('hosts')
      .addColumn('roles', 'text', (column) => column.notNull().defaultTo('["Node"]'))
      .execute()
  },
}
