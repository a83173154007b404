import { wholeNumber } from '../dialect.ts'
import type { Migration } from './migration.ts'

/** Both sides of a trust: leaves that joined this cluster, and roots that it joined. */
export const trustedClusters: Migration = {
  name: '080-trusted-clusters',
  async up(db, dialect) {
    await db.schema
      .createTable('remote_clusters')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('public_key', 'text', (column) => column.notNull())
      .addColumn('authorities', 'text', (column) => column.notNull())
      .addColumn('labels', 'text', (column) => column.notNull())
      .addColumn('joined', wholeNumber(dialect), (column) => column.notNull())
      .addColumn('last_connected', wholeNumber(dialect), (column) => column.notNull())
      .addColumn('online_until', wholeNumber(dialect), (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('root_clusters')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('public_keys', 'text', (column) => column.notNull())
      .addColumn('authorities', 'text', (column) => column.notNull())
      .addColumn('token_hash', 'text', (column) => column.notNull())
      .addColumn('last_connected', wholeNumber(dialect), (column) => column.notNull())
      .execute()
  },
}
