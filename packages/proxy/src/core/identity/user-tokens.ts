/** Tokens that stand for a user: links to set up an account, and proofs. They are told once; the database has their hash. */
import type { Kysely, Selectable, Transaction } from 'kysely'
import { userTokenTtl } from '@sallyport/wire/limits.ts'
import type { Database } from '../../store/db.ts'
import type { UserTokensTable } from '../../store/schema/user-tokens.ts'
import type { MasterKey } from '../authorities/master-key.ts'
import { formatDuration } from '../access/duration.ts'
import type { Clock } from '../clock.ts'
import { hashOf, randomHex } from './secrets.ts'
import { newTotpSecret } from './totp.ts'

export type UserTokenKind = UserTokensTable['kind']
export type Lost = NonNullable<UserTokensTable['lost']>
export type UserToken = Pick<Selectable<UserTokensTable>, 'hash' | 'kind' | 'user' | 'expires' | 'lost'> & {
  /** The authenticator secret shown last; undefined before the first reading. */
  totpSecret: string | undefined
}

export interface NewUserToken {
  tokenId: string
  /** Epoch milliseconds. */
  created: number
  expires: number
}

/** What audit events tell of a token that was made. */
export const tokenFields = ({ created, expires }: NewUserToken): { ttl: string; expires: string } => ({
  ttl: formatDuration(Math.round((expires - created) / 1000) * 1000),
  expires: new Date(expires).toISOString(),
})

type Query = Kysely<Database> | Transaction<Database>

export interface UserTokens {
  /** Replaces every other token of the user. `ttl` in milliseconds; absent: the kind's own. */
  create(
    query: Query,
    user: string,
    kind: UserTokenKind,
    options?: { ttl?: number | undefined; lost?: Lost | undefined },
  ): Promise<NewUserToken>
  /** Undefined when unknown, used up or expired. */
  find(tokenId: string): Promise<UserToken | undefined>
  /** Why `find` has nothing: only the holder of the link can ask. */
  isExpired(tokenId: string): Promise<boolean>
  /** A new authenticator secret for the token; the one shown before no longer counts. */
  rotateTotp(token: UserToken): Promise<string>
  /** Uses the token up, with all others of its user. False when somebody else was faster. */
  consume(query: Query, token: UserToken): Promise<boolean>
  /** Notes that what was lost is replaced: that happens once. False when somebody else was faster. */
  settle(query: Query, token: UserToken): Promise<boolean>
  sweep(): Promise<void>
}

/** 32 hexadecimal characters; 64 for a token that lives for hours without a link of its own. */
const tokenBytes = 16
const startTokenBytes = 32
const sealContext = (hash: string): string => `user-token/${hash}`

export function createUserTokens(db: Kysely<Database>, masterKey: MasterKey, clock: Clock): UserTokens {
  const live = (expires: number): boolean => expires > clock.now()
  return {
    async create(query, user, kind, { ttl = userTokenTtl[kind].default, lost } = {}) {
      const tokenId = randomHex(kind === 'recovery_start' ? startTokenBytes : tokenBytes)
      const created = clock.now()
      const expires = created + ttl
      await query.deleteFrom('user_tokens').where('user', '=', user).execute()
      await query
        .insertInto('user_tokens')
        .values({ hash: hashOf(tokenId), kind, user, created, expires, totp_secret: null, lost: lost ?? null })
        .execute()
      return { tokenId, created, expires }
    },
    async find(tokenId) {
      const row = await db.selectFrom('user_tokens').selectAll().where('hash', '=', hashOf(tokenId)).executeTakeFirst()
      if (!row || !live(row.expires)) return undefined
      const { hash, kind, user, expires, lost, totp_secret: sealed } = row
      return {
        hash,
        kind,
        user,
        expires,
        lost,
        totpSecret: sealed === null ? undefined : masterKey.open(sealed, sealContext(hash)).toString('utf8'),
      }
    },
    async isExpired(tokenId) {
      const row = await db.selectFrom('user_tokens').select('expires').where('hash', '=', hashOf(tokenId)).executeTakeFirst()
      return row !== undefined && !live(row.expires)
    },
    async rotateTotp({ hash }) {
      const secret = newTotpSecret()
      await db
        .updateTable('user_tokens')
        .set({ totp_secret: masterKey.seal(Buffer.from(secret), sealContext(hash)) })
        .where('hash', '=', hash)
        .execute()
      return secret
    },
    async consume(query, { hash, user }) {
      const [used] = await query.deleteFrom('user_tokens').where('hash', '=', hash).where('expires', '>', clock.now()).execute()
      await query.deleteFrom('user_tokens').where('user', '=', user).execute()
      return Number(used?.numDeletedRows ?? 0) === 1
    },
    async settle(query, { hash }) {
      const live = query.updateTable('user_tokens').set({ lost: null }).where('hash', '=', hash).where('expires', '>', clock.now())
      const [settled] = await live.where('lost', 'is not', null).execute()
      return Number(settled?.numUpdatedRows ?? 0) === 1
    },
    async sweep() {
      // An expired link is remembered for a day, so that its holder is told so.
      await db
        .deleteFrom('user_tokens')
        .where('expires', '<=', clock.now() - 86_400_000)
        .execute()
    },
  }
}
