/** Users as signing in sees them: who exists, with which roles, and what those allow. */
import type { AccessService } from '../access/access.ts'
import type { AccessChecker } from '../access/checker.ts'
import { authTypeOf } from '../users.ts'
import type { UserStore } from '../users.ts'

export interface Person {
  name: string
  roles: readonly string[]
  traits: Readonly<Record<string, readonly string[]>>
  /** False for users of an identity provider: they have no password and no sign-in here. */
  local: boolean
}

export interface People {
  /** Undefined when there is no such user, or one that has expired. */
  find(name: string): Promise<Person | undefined>
  accessOf(person: Person): Promise<AccessChecker>
}

/** Over the user documents. */
export function createPeople(users: Pick<UserStore, 'get'>, access: AccessService): People {
  return {
    async find(name) {
      const user = await users.get(name)
      return user && { name, roles: user.spec.roles, traits: user.spec.traits, local: authTypeOf(user) === 'local' }
    },
    accessOf: ({ name, roles, traits }) => access.checker({ username: name, roles, traits }),
  }
}
