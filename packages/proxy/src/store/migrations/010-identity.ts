import { wholeNumber } from '../dialect.ts'
import type { Migration } from './migration.ts'

export const identity: Migration = {
  name: '010-identity',
  async up(db, dialect) {
    const time = wholeNumber(dialect)
    await db.schema
      .createTable('credentials')
      .addColumn('user', 'text', (column) => column.primaryKey())
      .addColumn('password_hash', 'text')
      .addColumn('user_handle', 'text', (column) => column.notNull().unique())
      .execute()
    await db.schema
      .createTable('mfa_devices')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('user', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('added', time, (column) => column.notNull())
      .addColumn('last_used', time, (column) => column.notNull())
      .addColumn('totp_secret', 'text')
      .addColumn('totp_step', time)
      .addColumn('credential_id', 'text', (column) => column.unique())
      .addColumn('public_key', 'text')
      .addColumn('sign_count', time, (column) => column.notNull())
      .addColumn('resident', 'integer', (column) => column.notNull())
      .addUniqueConstraint('mfa_devices_name', ['user', 'name'])
      .execute()
    await db.schema
      .createTable('user_tokens')
      .addColumn('hash', 'text', (column) => column.primaryKey())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('user', 'text', (column) => column.notNull())
      .addColumn('created', time, (column) => column.notNull())
      .addColumn('expires', time, (column) => column.notNull())
      .addColumn('totp_secret', 'text')
      .execute()
    await db.schema.createIndex('user_tokens_user').on('user_tokens').column('user').execute()
    await db.schema
      .createTable('join_tokens')
      .addColumn('hash', 'text', (column) => column.primaryKey())
      .addColumn('roles', 'text', (column) => column.notNull())
      .addColumn('expires', time, (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('web_sessions')
      .addColumn('hash', 'text', (column) => column.primaryKey())
      .addColumn('user', 'text', (column) => column.notNull())
      .addColumn('login_id', 'text', (column) => column.notNull())
      .addColumn('login_time', time, (column) => column.notNull())
      .addColumn('login_ip', 'text', (column) => column.notNull())
      .addColumn('expires', time, (column) => column.notNull())
      .execute()
    await db.schema.createIndex('web_sessions_login').on('web_sessions').column('login_id').execute()
    await db.schema.createIndex('web_sessions_user').on('web_sessions').column('user').execute()
    await db.schema
      .createTable('bearers')
      .addColumn('hash', 'text', (column) => column.primaryKey())
      .addColumn('user', 'text', (column) => column.notNull())
      .addColumn('login_id', 'text', (column) => column.notNull())
      .addColumn('sealed', 'text', (column) => column.notNull())
      .addColumn('created', time, (column) => column.notNull())
      .addColumn('expires', time, (column) => column.notNull())
      .execute()
    await db.schema.createIndex('bearers_login').on('bearers').columns(['login_id', 'created']).execute()
    await db.schema
      .createTable('mfa_challenges')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('challenge', 'text', (column) => column.notNull())
      .addColumn('usage', 'text', (column) => column.notNull())
      .addColumn('expires', time, (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('login_failures')
      .addColumn('user', 'text', (column) => column.primaryKey())
      .addColumn('count', 'integer', (column) => column.notNull())
      .addColumn('first', time, (column) => column.notNull())
      .addColumn('locked_until', time, (column) => column.notNull())
      .execute()
  },
}
