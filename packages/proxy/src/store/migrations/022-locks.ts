import { sql } from 'kysely'
import { wholeNumber } from '../dialect.ts'
import type { Migration } from './migration.ts'

/** Sessions know the device that opened them, and those that a lock ended can still tell why. */
export const locks: Migration = {
  name: '022-locks',
  async up(db, dialect) {
    await db.schema.alterTable('web_sessions').addColumn('mfa_device', 'text').execute()
    await db.schema
      .createTable('locked_sessions')
      .addColumn('hash', 'text', (column) => column.primaryKey())
      .addColumn('user', 'text', (column) => column.notNull())
      .addColumn('mfa_device', 'text')
      .addColumn('expires', wholeNumber(dialect), (column) => column.notNull())
      .execute()
    if (dialect === 'postgres') await tellOthers.execute(db)
  },
}

/** Every proxy on this database hears of a change with the commit that makes it. */
const tellOthers = sql`
  create function sallyport_tell_resource() returns trigger language plpgsql as $body$
  begin
    perform pg_notify('sallyport_changes', json_build_object(
      'kind', case when tg_op = 'DELETE' then old.kind else new.kind end,
      'name', case when tg_op = 'DELETE' then old.name else new.name end,
      'operation', case when tg_op = 'DELETE' then 'delete' else 'put' end)::text);
    return null;
  end $body$;
  create trigger sallyport_tell after insert or update or delete on resources
    for each row execute function sallyport_tell_resource();
  create function sallyport_tell_sign_out() returns trigger language plpgsql as $body$
  begin
    perform pg_notify('sallyport_changes', json_build_object(
      'kind', 'web_login', 'name', old.login_id, 'operation', 'delete')::text);
    return null;
  end $body$;
  create trigger sallyport_tell after delete on web_sessions
    for each row execute function sallyport_tell_sign_out();
`
