/** Sign-ins that are under way at a provider: kept for ten minutes, handed out once. */
import type { Kysely } from 'kysely'
import { z } from 'zod'
import { ssoRequestTtl } from '@sallyport/wire/limits.ts'
import type { Database } from '../../store/db.ts'
import type { MasterKey } from '../authorities/master-key.ts'
import type { Clock } from '../clock.ts'
import { hashOf } from '../identity/secrets.ts'

/** Base64 of the line of a public key, for how long (milliseconds, 0 for the default) it is to be certified, and with which access requests. */
const clientKey = z.object({ publicKey: z.string(), ttl: z.number(), requests: z.array(z.string()).default([]) })
export type ClientKey = z.output<typeof clientKey>

const stored = z.object({
  type: z.enum(['oidc', 'saml', 'github']),
  connector: z.string(),
  /** The CSRF token of the browser that began. */
  csrf: z.string(),
  /** Where that browser wants to be afterwards, as it said. */
  redirect: z.string(),
  ip: z.string(),
  /** What the protocol needs again. */
  kept: z.record(z.string(), z.string()),
  /** A program that wants certificates; `redirect` is its address, with the key that seals the answer. */
  client: clientKey.optional(),
  /** A test sign-in: which one, by whom, with which document. */
  test: z.object({ id: z.string(), by: z.string(), document: z.unknown() }).optional(),
})
export type SsoRequest = z.output<typeof stored>

export interface SsoRequests {
  keep(id: string, request: SsoRequest): Promise<void>
  /** Undefined for an id that is unknown, used or too old. */
  take(id: string): Promise<SsoRequest | undefined>
  /** False when the assertion was used before. `until` in epoch milliseconds. */
  takeAssertion(issuer: string, id: string, until: number): Promise<boolean>
  sweep(): Promise<void>
}

const labelOf = (hash: string): string => `sso-request/${hash}`

export function createSsoRequests({ db, masterKey, clock }: { db: Kysely<Database>; masterKey: MasterKey; clock: Clock }): SsoRequests {
  return {
    async keep(id, request) {
      const hash = hashOf(id)
      const sealed = masterKey.seal(Buffer.from(JSON.stringify(request)), labelOf(hash))
      await db
        .insertInto('sso_requests')
        .values({ hash, sealed, expires: clock.now() + ssoRequestTtl })
        .execute()
    },
    async take(id) {
      const hash = hashOf(id)
      const row = await db.deleteFrom('sso_requests').where('hash', '=', hash).returningAll().executeTakeFirst()
      if (!row || row.expires <= clock.now()) return undefined
      return stored.parse(JSON.parse(masterKey.open(row.sealed, labelOf(hash)).toString('utf8')))
    },
    async takeAssertion(issuer, id, until) {
      const [result] = await db
        .insertInto('saml_assertions')
        .values({ hash: hashOf(JSON.stringify([issuer, id])), expires: until })
        .onConflict((conflict) => conflict.column('hash').doNothing())
        .execute()
      return Boolean(result?.numInsertedOrUpdatedRows)
    },
    async sweep() {
      for (const table of ['sso_requests', 'saml_assertions', 'connector_tests'] as const)
        await db.deleteFrom(table).where('expires', '<=', clock.now()).execute()
    },
  }
}
