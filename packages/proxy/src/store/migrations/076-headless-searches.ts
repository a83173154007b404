import { sql } from 'kysely'
import { wholeNumber } from '../dialect.ts'
import type { Migration } from './migration.ts'

/** A command waits at one proxy, and its user's browser may be at another. */
export const headlessSearches: Migration = {
  name: '076-headless-searches',
  async up(db, dialect) {
    await db.schema
      .createTable('headless_searches')
      .addColumn('user', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('request', 'text')
      .addColumn('announced', 'integer', (column) => column.notNull())
      .addColumn('device', 'text')
      .addColumn('expires', wholeNumber(dialect), (column) => column.notNull())
      .addPrimaryKeyConstraint('headless_searches_key', ['user', 'id'])
      .execute()
    if (dialect === 'postgres') await tellOthers.execute(db)
  },
}

const tellOthers = sql`
  create function sallyport_tell_headless() returns trigger language plpgsql as $body$
  begin
    perform pg_notify('sallyport_changes', json_build_object(
      'kind', 'headless_search',
      'name', case when tg_op = 'DELETE' then old.id else new.id end,
      'operation', case when tg_op = 'DELETE' then 'delete' else 'put' end)::text);
    return null;
  end $body$;
  create trigger sallyport_tell after insert or update or delete on headless_searches
    for each row execute function sallyport_tell_headless();
`
