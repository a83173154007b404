import type { Migration } from './migration.ts'

/** The certificates that desktops showed first. */
export const desktopCertificates: Migration = {
  name: '085-desktop-certificates',
  async up(db) {
    await db.schema
      .createTable('desktop_certificates')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('place', 'text', (column) => column.notNull())
      .addColumn('fingerprint', 'text', (column) => column.notNull())
      .execute()
  },
}
