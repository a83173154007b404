import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** Proxies tell each other of what their lists show. */
export const inventoryNotices: Migration = {
  name: '075-inventory-notices',
  async up(db, dialect) {
    if (dialect === 'postgres') await tellOthers.execute(db)
  },
}

/**
 * A notice names up to 200 rows (8000 bytes is the limit), once per statement. A heartbeat that says what the last one
 * said is not told: most are such. One that comes after its row had expired is, for the row is shown again.
 */
const tellOthers = sql`
  create function sallyport_tell_inventory() returns trigger language plpgsql as $body$
  begin
    perform pg_notify('sallyport_inventory', string_agg(id, ','))
      from (select id, (row_number() over () - 1) / 200 as part from changed) as numbered group by part;
    return null;
  end $body$;
  create function sallyport_tell_inventory_update() returns trigger language plpgsql as $body$
  begin
    perform pg_notify('sallyport_inventory', string_agg(id, ','))
      from (select after.id, (row_number() over () - 1) / 200 as part
        from changed as after join before using (kind, id)
        where after.document is distinct from before.document
          or before.expires <= extract(epoch from clock_timestamp()) * 1000) as numbered group by part;
    return null;
  end $body$;
  create trigger sallyport_tell_insert after insert on inventory
    referencing new table as changed for each statement execute function sallyport_tell_inventory();
  create trigger sallyport_tell_update after update on inventory
    referencing new table as changed old table as before for each statement execute function sallyport_tell_inventory_update();
  create trigger sallyport_tell_delete after delete on inventory
    referencing old table as changed for each statement execute function sallyport_tell_inventory();
`
