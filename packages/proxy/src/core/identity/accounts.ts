/** Making users, and the links with which they set up their account. */
import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../../store/db.ts'
import type { UserStore } from '../users.ts'
import type { Lockout } from './lockout.ts'
import type { NewUserToken, UserTokens } from './user-tokens.ts'
import type { WebSessions } from './web-sessions.ts'

export interface NewUser {
  name: string
  roles: readonly string[]
  logins: readonly string[]
}

export interface Accounts {
  /** Throws already exists, bad parameter. `by` goes into the audit log. */
  create(user: NewUser, by: string): Promise<NewUserToken>
  /** Password and devices are gone at once; a lock is lifted. Throws not found. */
  reset(user: string, kind: 'invite' | 'password', by: string): Promise<NewUserToken>
  /** For a user that is deleted: whoever gets the name next starts from nothing. */
  forget(user: string): Promise<void>
}

export interface AccountDeps {
  db: Kysely<Database>
  users: UserStore
  tokens: UserTokens
  sessions: Pick<WebSessions, 'endAllOf'>
  lockout: Pick<Lockout, 'clear'>
  audit: Pick<Audit, 'emit'>
  clock: Clock
}

export function createAccounts({ db, users, tokens, sessions, lockout, audit, clock }: AccountDeps): Accounts {
  async function link(user: string, kind: 'invite' | 'password', by: string): Promise<NewUserToken> {
    const made = await db.transaction().execute(async (transaction) => {
      await transaction
        .insertInto('credentials')
        .values({ user, password_hash: null, user_handle: randomUUID() })
        .onConflict((conflict) => conflict.column('user').doUpdateSet({ password_hash: null }))
        .execute()
      await transaction.deleteFrom('mfa_devices').where('user', '=', user).execute()
      return tokens.create(transaction, user, kind)
    })
    const ttl = `${Math.round((made.expires - clock.now()) / 60_000)}m0s`
    await audit.emit('T6000I', { user: by, name: user, ttl, expires: new Date(made.expires).toISOString() })
    return made
  }
  return {
    async create({ name, roles, logins }, by) {
      const created_by = { time: new Date(clock.now()).toISOString(), user: { name: by } }
      await users.create({ metadata: { name }, spec: { roles: [...roles], traits: { logins: [...logins] }, created_by } })
      await audit.emit('T1002I', { user: by, name, roles: [...roles], connector: 'local' })
      return link(name, 'invite', by)
    },
    async reset(user, kind, by) {
      await users.require(user)
      const made = await link(user, kind, by)
      await lockout.clear(user)
      await sessions.endAllOf(user)
      return made
    },
    async forget(user) {
      await sessions.endAllOf(user)
      await db.transaction().execute(async (transaction) => {
        for (const table of ['credentials', 'mfa_devices', 'user_tokens', 'login_failures'] as const)
          await transaction.deleteFrom(table).where('user', '=', user).execute()
      })
    },
  }
}
