/** Heartbeats of one kind as the store keeps them. What comes at the same time is written in one statement. */
import type { Kysely } from 'kysely'
import type { Database } from '../../store/db.ts'
import { createGroupCommit } from '../audit/group-commit.ts'

export interface HeartbeatRow {
  readonly id: string
  /** JSON text. */
  readonly document: string
  /** Epoch milliseconds. */
  readonly expires: number
}

export interface HeartbeatRows {
  /** Resolves when it is stored. */
  write(row: HeartbeatRow): Promise<void>
  remove(id: string): Promise<void>
  removeExpired(now: number): Promise<void>
  all(): Promise<HeartbeatRow[]>
  /** Those that there are. */
  read(ids: readonly string[]): Promise<HeartbeatRow[]>
  /** Until when each of them is stored; those that are not stored are missing. */
  expiries(ids: readonly string[]): Promise<Map<string, number>>
}

/** Databases take a limited number of parameters in one statement. */
const atOnce = 1000

export function createHeartbeatRows(kind: string, db: Kysely<Database>): HeartbeatRows {
  const rows = db.selectFrom('inventory').where('kind', '=', kind)
  const commit = createGroupCommit<HeartbeatRow>(async (entries) => {
    // Of several of one item the last; in one order, so that proxies that write the same rows do not wait for each other in a circle.
    const byId = new Map(entries.map((row) => [row.id, row]))
    const values = [...byId.values()].map((row) => ({ kind, ...row })).toSorted((a, b) => (a.id < b.id ? -1 : 1))
    await db
      .insertInto('inventory')
      .values(values)
      .onConflict((conflict) =>
        conflict
          .columns(['kind', 'id'])
          .doUpdateSet(({ ref }) => ({ document: ref('excluded.document'), expires: ref('excluded.expires') })),
      )
      .execute()
  })
  async function inParts<T>(ids: readonly string[], read: (part: readonly string[]) => Promise<T[]>): Promise<T[]> {
    const found: T[] = []
    for (let at = 0; at < ids.length; at += atOnce) found.push(...(await read(ids.slice(at, at + atOnce))))
    return found
  }
  return {
    write: (row) => commit.add(row),
    async remove(id) {
      await db.deleteFrom('inventory').where('kind', '=', kind).where('id', '=', id).execute()
    },
    async removeExpired(now) {
      await db.deleteFrom('inventory').where('expires', '<=', now).execute()
    },
    all: () => rows.select(['id', 'document', 'expires']).execute(),
    read: (ids) => inParts(ids, (part) => rows.select(['id', 'document', 'expires']).where('id', 'in', part).execute()),
    async expiries(ids) {
      const found = await inParts(ids, (part) => rows.select(['id', 'expires']).where('id', 'in', part).execute())
      return new Map(found.map(({ id, expires }) => [id, expires]))
    },
  }
}
