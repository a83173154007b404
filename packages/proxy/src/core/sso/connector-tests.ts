/** Test sign-ins: what a provider said and which roles that would give, for the administrator who asked. */
import type { Kysely } from 'kysely'
import { connectorTestWire } from '@sallyport/wire/entities/connector.ts'
import type { ConnectorTest } from '@sallyport/wire/entities/connector.ts'
import { ssoRequestTtl } from '@sallyport/wire/limits.ts'
import { z } from 'zod'
import type { Database } from '../../store/db.ts'
import type { MasterKey } from '../authorities/master-key.ts'
import type { Clock } from '../clock.ts'
import type { Mapped } from '../connectors/mapping.ts'
import { hashOf, randomHex } from '../identity/secrets.ts'
import type { Proof } from './provider.ts'

export interface TestResult {
  state: 'success' | 'failed'
  proof: Proof | undefined
  mapped: Mapped | undefined
  error: string
}

export interface ConnectorTests {
  begin(by: string): Promise<string>
  finish(test: { id: string }, result: TestResult): Promise<void>
  /** Undefined when there is none of that id for that user. */
  read(id: string, by: string): Promise<ConnectorTest | undefined>
}

/** Beyond the time to sign in, for as long the result can be read. */
const readable = ssoRequestTtl
const labelOf = (hash: string): string => `connector-test/${hash}`

export function createConnectorTests(deps: { db: Kysely<Database>; masterKey: MasterKey; clock: Clock }): ConnectorTests {
  const { db, masterKey, clock } = deps
  return {
    async begin(by) {
      const id = randomHex(16)
      const expires = clock.now() + ssoRequestTtl + readable
      await db
        .insertInto('connector_tests')
        .values({ hash: hashOf(id), user: by, sealed: null, expires })
        .execute()
      return id
    },
    async finish({ id }, { state, proof, mapped, error }) {
      const hash = hashOf(id)
      const claims = Object.fromEntries(Object.entries(proof?.claims ?? {}).map(([name, values]) => [name, [...values]]))
      const result: ConnectorTest = {
        state,
        user: proof?.username ?? '',
        claims,
        mappings: mapped?.matched ?? [],
        roles: mapped?.roles ?? [],
        error,
      }
      const sealed = masterKey.seal(Buffer.from(JSON.stringify(result)), labelOf(hash))
      await db.updateTable('connector_tests').set({ sealed }).where('hash', '=', hash).where('sealed', 'is', null).execute()
    },
    async read(id, by) {
      const hash = hashOf(id)
      const row = await db.selectFrom('connector_tests').selectAll().where('hash', '=', hash).executeTakeFirst()
      if (row?.user !== by || row.expires <= clock.now()) return undefined
      if (row.sealed !== null) return z.parse(connectorTestWire, JSON.parse(masterKey.open(row.sealed, labelOf(hash)).toString('utf8')))
      const state = row.expires - readable <= clock.now() ? 'expired' : 'pending'
      return { state, user: '', claims: {}, mappings: [], roles: [], error: '' }
    },
  }
}
