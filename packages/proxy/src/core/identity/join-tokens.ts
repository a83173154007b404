/** Tokens with which agents join the cluster. Only their hash is kept. */
import type { Kysely } from 'kysely'
import { defaultJoinMethod } from '@sallyport/wire/limits.ts'
import type { Database } from '../../store/db.ts'
import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import { hashOf, randomHex } from './secrets.ts'

export interface JoinTokens {
  /** `ttl` in milliseconds. */
  create(roles: readonly string[], ttl: number, by: string): Promise<{ token: string; expires: number }>
  sweep(): Promise<void>
}

export function createJoinTokens(db: Kysely<Database>, audit: Pick<Audit, 'emit'>, clock: Clock): JoinTokens {
  return {
    async create(roles, ttl, by) {
      const token = randomHex(16)
      const expires = clock.now() + ttl
      await audit.emit('TJT00I', { user: by, roles: [...roles], join_method: defaultJoinMethod, expires: new Date(expires).toISOString() })
      await db
        .insertInto('join_tokens')
        .values({ hash: hashOf(token), roles: roles.join(','), expires })
        .execute()
      return { token, expires }
    },
    async sweep() {
      await db.deleteFrom('join_tokens').where('expires', '<=', clock.now()).execute()
    },
  }
}
