/** The hosts that joined: who each of them is, kept until another one may take its id. */
import type { Kysely } from 'kysely'
import { labelsWire, matchersWire } from '@sallyport/wire/tunnel.ts'
import { z } from 'zod'
import type { Database } from '../../store/db.ts'
import type { HostsTable } from '../../store/schema/hosts.ts'

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
  /** Of the token: which databases it may be the way to, by their labels. Empty for none. */
  readonly matchers: Readonly<Record<string, readonly string[]>>
  /** Epoch milliseconds at which its newest certificate ends. */
  readonly expires: number
}

const rolesSchema = z.array(z.string())

export interface Hosts {
  find(id: string): Promise<Host | undefined>
  /** Those that are the way to databases and have not expired by `now`. */
  withMatchers(now: number): Promise<Host[]>
  /** Adds it, or replaces what is known of it, if it is the same one or the known one has expired by `now`; false when it is not. */
  claim(host: Host, now: number): Promise<boolean>
  /** After its certificate was renewed. */
  renew(id: string, expires: number): Promise<void>
}

const open = ({ public_key: publicKey, labels, roles, matchers, ...rest }: HostsTable): Host => ({
  ...rest,
  publicKey,
  labels: labelsWire.parse(JSON.parse(labels)),
  roles: rolesSchema.parse(JSON.parse(roles)),
  matchers: matchersWire.parse(JSON.parse(matchers)),
})

export function createHosts(db: Kysely<Database>): Hosts {
  return {
    async find(id) {
      const row = await db.selectFrom('hosts').selectAll().where('id', '=', id).executeTakeFirst()
      if (!row) return undefined
      return open(row)
    },
    async withMatchers(now) {
      const rows = await db.selectFrom('hosts').selectAll().where('matchers', '!=', '{}').where('expires', '>', now).execute()
      return rows.map(open)
    },
    async claim({ id, publicKey, hostname, labels, roles, matchers, expires }, now) {
      const texts = { labels: JSON.stringify(labels), roles: JSON.stringify(roles), matchers: JSON.stringify(matchers) }
      const values = { public_key: publicKey, hostname, ...texts, expires }
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
