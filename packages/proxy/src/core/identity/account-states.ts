/** What keeps a user from signing in here, if anything, for every user at once. */
import type { Kysely } from 'kysely'
import type { UserState } from '@sallyport/wire/entities/user.ts'
import type { Database } from '../../store/db.ts'
import { authTypeOf } from '../users.ts'
import type { User } from '../users.ts'
import type { Lockout } from './lockout.ts'

export type StateOf = (user: User) => UserState

export interface AccountStates {
  read(): Promise<StateOf>
}

export function createAccountStates(db: Kysely<Database>, lockout: Pick<Lockout, 'all'>): AccountStates {
  return {
    async read() {
      const withPassword = await db.selectFrom('credentials').select('user').where('password_hash', 'is not', null).execute()
      const withDevice = await db.selectFrom('mfa_devices').select('user').distinct().execute()
      const setUp = new Set([...withPassword, ...withDevice].map(({ user }) => user))
      const locked = new Set(await lockout.all())
      return (user) => {
        const { name } = user.metadata
        if (locked.has(name)) return 'locked'
        return authTypeOf(user) === 'local' && !setUp.has(name) ? 'invited' : 'active'
      }
    },
  }
}
