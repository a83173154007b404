/** The leaves of this cluster, as the database knows them. */
import type { Kysely, Selectable } from 'kysely'
import { leafStateWire } from '@sallyport/wire/cluster-link.ts'
import type { LeafState } from '@sallyport/wire/cluster-link.ts'
import { labelsWire } from '@sallyport/wire/tunnel.ts'
import type { Database } from '../../store/db.ts'
import type { RemoteClustersTable } from '../../store/schema/remote-clusters.ts'

export interface RemoteCluster {
  readonly name: string
  /** Line of its cluster key. */
  readonly publicKey: string
  readonly labels: Readonly<Record<string, string>>
  /** Epoch milliseconds of its last heartbeat; 0 when there was none. */
  readonly lastConnected: number
  /** Until then it counts as connected, if nobody knows better. */
  readonly onlineUntil: number
  readonly state: LeafState
}

export interface RemoteClusters {
  /** By name. */
  list(): Promise<RemoteCluster[]>
  find(name: string): Promise<RemoteCluster | undefined>
  /** Adds it, or what it gave anew if it is the same one; false when another one has the name. */
  claim(leaf: Pick<RemoteCluster, 'name' | 'publicKey' | 'labels'> & { authorities: readonly string[] }, now: number): Promise<boolean>
  /** False when it was removed. */
  heartbeat(name: string, state: LeafState, times: { now: number; onlineUntil: number }): Promise<boolean>
  offline(name: string, now: number): Promise<void>
  label(name: string, labels: Readonly<Record<string, string>>): Promise<boolean>
  remove(name: string): Promise<boolean>
}

const unknownState: LeafState = { nodeCount: 0, publicURL: '', authVersion: '', proxyVersion: '' }

export function createRemoteClusters(db: Kysely<Database>): RemoteClusters {
  return {
    async list() {
      return (await db.selectFrom('remote_clusters').selectAll().orderBy('name').execute()).map(fromRow)
    },
    async find(name) {
      const row = await db.selectFrom('remote_clusters').selectAll().where('name', '=', name).executeTakeFirst()
      return row && fromRow(row)
    },
    async claim({ name, publicKey, labels, authorities }, now) {
      const given = { labels: JSON.stringify(labels), authorities: JSON.stringify(authorities), joined: now }
      const fresh = { last_connected: 0, online_until: 0, state: JSON.stringify(unknownState) }
      // One statement, so that of two that come at once one is refused.
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('remote_clusters')
        .values({ name, public_key: publicKey, ...given, ...fresh })
        .onConflict((conflict) => conflict.column('name').doUpdateSet(given).where('remote_clusters.public_key', '=', publicKey))
        .executeTakeFirst()
      return (numInsertedOrUpdatedRows ?? 0n) > 0n
    },
    async heartbeat(name, state, { now, onlineUntil }) {
      const seen = { state: JSON.stringify(state), last_connected: now, online_until: onlineUntil }
      const [result] = await db.updateTable('remote_clusters').set(seen).where('name', '=', name).execute()
      return Number(result?.numUpdatedRows ?? 0) > 0
    },
    async offline(name, now) {
      await db.updateTable('remote_clusters').set({ online_until: now }).where('name', '=', name).execute()
    },
    async label(name, labels) {
      const [result] = await db
        .updateTable('remote_clusters')
        .set({ labels: JSON.stringify(labels) })
        .where('name', '=', name)
        .execute()
      return Number(result?.numUpdatedRows ?? 0) > 0
    },
    async remove(name) {
      const [result] = await db.deleteFrom('remote_clusters').where('name', '=', name).execute()
      return Number(result?.numDeletedRows ?? 0) > 0
    },
  }
}

const fromRow = (row: Selectable<RemoteClustersTable>): RemoteCluster => ({
  name: row.name,
  publicKey: row.public_key,
  labels: labelsWire.parse(JSON.parse(row.labels)),
  lastConnected: row.last_connected,
  onlineUntil: row.online_until,
  state: leafStateWire.parse(JSON.parse(row.state)),
})
