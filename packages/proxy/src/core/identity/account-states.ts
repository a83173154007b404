/** What keeps a user from signing in here, if anything, for every user at once. */
import type { Kysely } from 'kysely'
import type { UserState } from '@sallyport/wire/entities/user.ts'
import type { Database } from '../../store/db.ts'
import type { LockView } from '../locks/lock-view.ts'
import { authTypeOf } from '../users.ts'
import type { User } from '../users.ts'
import type { Lockout } from './lockout.ts'

export interface AccountState {
  state: UserState
  /** The reason of a lock. */
  lock?: string
}
export type StateOf = (user: User) => AccountState

export interface AccountStates {
  read(): Promise<StateOf>
}

export function createAccountStates(
  db: Kysely<Database>,
  lockout: Pick<Lockout, 'all'>,
  locks: Pick<LockView, 'whyLocked'>,
): AccountStates {
  return {
    async read() {
      const withPassword = await db.selectFrom('credentials').select('user').where('password_hash', 'is not', null).execute()
      const withDevice = await db.selectFrom('mfa_devices').select('user').distinct().execute()
      const setUp = new Set([...withPassword, ...withDevice].map(({ user }) => user))
      const blocked = new Set(await lockout.all())
      return (user) => {
        const { name } = user.metadata
        const lock = locks.whyLocked({ user: name, roles: user.spec.roles })
        if (lock !== undefined) return { state: 'locked', lock }
        if (blocked.has(name)) return { state: 'blocked' }
        return { state: authTypeOf(user) === 'local' && !setUp.has(name) ? 'invited' : 'active' }
      }
    },
  }
}
