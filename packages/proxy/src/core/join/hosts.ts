/** The hosts that joined: who each of them is, kept until another one may take its id. */
import type { Kysely } from 'kysely'
import { labelsWire } from '@sallyport/wire/tunnel.ts'
import { z } from 'zod'
import type { Database } from '../../store/db.ts'

export interface Host {
  readonly id: string
  /** Line of its public key, without a comment. */
  readonly publicKey: string
  /** As it called itself when it joined. */
  readonly hostname: string
  /** Labels that the administrator gave with the token. */
  readonly labels: Readonly<Record<string, string>>
  /** Those of the token: what it may be, and which kinds it may announce. */
  readonly roles: readonly string[]
  /** Epoch milliseconds at which its newest certificate ends. */
  readonly expires: number
}

const rolesSchema = z.array(z.string())

export interface Hosts {
  find(id: string): Promise<Host | undefined>
  /** Adds it, or replaces what is known of it, if it is the same one or the known one has expired by `now`; false when it is not. */
  claim(host: Host, now: number): Promise<boolean>
  /** After its certificate was renewed. */
  renew(id: string, expires: number): Promise<void>
}

export function createHosts(db: Kysely<Database>): Hosts {
  return {
    async find(id) {
      const row = await db.selectFrom('hosts').selectAll().where('id', '=', id).executeTakeFirst()
      if (!row) return undefined
      const { public_key: publicKey, labels, roles, ...rest } = row
      return { ...rest, publicKey, labels: labelsWire.parse(JSON.parse(labels)), roles: rolesSchema.parse(JSON.parse(roles)) }
    },
    async claim({ id, publicKey, hostname, labels, roles, expires }, now) {
      const values = { public_key: publicKey, hostname, labels: JSON.stringify(labels), roles: JSON.stringify(roles), expires }
      // One statement, so that of two that come at once one is refused.
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('hosts')
        .values({ id, ...values })
        .onConflict((conflict) =>
          conflict
            .column('id')
            .doUpdateSet(values)
            .where((is) => is.or([is('hosts.public_key', '=', publicKey), is('hosts.expires', '<=', now)])),
        )
        .executeTakeFirst()
      return (numInsertedOrUpdatedRows ?? 0n) > 0n
    },
    async renew(id, expires) {
      await db.updateTable('hosts').set({ expires }).where('id', '=', id).execute()
    },
  }
}
