import type { Migration } from './migration.ts'

/** Which databases a host may be the way to. */
export const hostMatchers: Migration = {
  name: '107-host-matchers',
  async up(db) {
    await db.schema
      .alterTable('hosts')
      .addColumn('matchers', 'text', (column) => column.notNull().defaultTo('{}'))
      .execute()
  },
}
