/** What this cluster keeps of the roots that it joined, beside their documents. */
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { Database } from '../../store/db.ts'

export interface RootCluster {
  readonly name: string
  /** Lines of the keys with which it signs. */
  readonly publicKeys: readonly string[]
  /** Of the join token. */
  readonly tokenHash: string
  /** Epoch milliseconds; 0 when it never was. */
  readonly lastConnected: number
}

export interface RootClusters {
  find(name: string): Promise<RootCluster | undefined>
  put(root: Omit<RootCluster, 'lastConnected'> & { authorities: readonly string[] }): Promise<void>
  connected(name: string, now: number): Promise<void>
  remove(name: string): Promise<void>
}

const keyLines = z.array(z.string())

export function createRootClusters(db: Kysely<Database>): RootClusters {
  return {
    async find(name) {
      const row = await db.selectFrom('root_clusters').selectAll().where('name', '=', name).executeTakeFirst()
      return (
        row && {
          name,
          publicKeys: keyLines.parse(JSON.parse(row.public_keys)),
          tokenHash: row.token_hash,
          lastConnected: row.last_connected,
        }
      )
    },
    async put({ name, publicKeys, tokenHash, authorities }) {
      const given = { public_keys: JSON.stringify(publicKeys), token_hash: tokenHash, authorities: JSON.stringify(authorities) }
      await db
        .insertInto('root_clusters')
        .values({ name, ...given, last_connected: 0 })
        .onConflict((conflict) => conflict.column('name').doUpdateSet(given))
        .execute()
    },
    async connected(name, now) {
      await db.updateTable('root_clusters').set({ last_connected: now }).where('name', '=', name).execute()
    },
    async remove(name) {
      await db.deleteFrom('root_clusters').where('name', '=', name).execute()
    },
  }
}
