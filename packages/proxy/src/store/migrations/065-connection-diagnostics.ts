import { wholeNumber } from '../dialect.ts'
import type { Migration } from './migration.ts'

export const connectionDiagnostics: Migration = {
  name: '065-connection-diagnostics',
  async up(db, dialect) {
    await db.schema
      .createTable('connection_diagnostics')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('user', 'text', (column) => column.notNull())
      .addColumn('document', 'text', (column) => column.notNull())
      .addColumn('expires', wholeNumber(dialect), (column) => column.notNull())
      .execute()
  },
}
