/** Users as signing in sees them: who exists, with which roles, and what those allow. */
import type { AccessService } from '../access/access.ts'
import type { AccessChecker } from '../access/checker.ts'
import { authTypeOf, botOf } from '../users.ts'
import type { UserStore } from '../users.ts'

export interface Person {
  name: string
  roles: readonly string[]
  traits: Readonly<Record<string, readonly string[]>>
  /** False for users of an identity provider: they have no password and no sign-in here. */
  local: boolean
  isBot?: boolean
}

export interface People {
  /** Undefined when there is no such user, or one that has expired. */
  find(name: string): Promise<Person | undefined>
  /** `onTrustedDevice`: whether they come from a device that has proved itself. */
  accessOf(person: Person, onTrustedDevice?: boolean): Promise<AccessChecker>
}

/** Over the user documents. */
export function createPeople(users: Pick<UserStore, 'get'>, access: AccessService): People {
  return {
    async find(name) {
      const user = await users.get(name)
      if (!user) return undefined
      const { roles, traits } = user.spec
      return { name, roles, traits, local: authTypeOf(user) === 'local', ...(botOf(user) !== undefined && { isBot: true }) }
    },
    accessOf: ({ name, roles, traits }, onTrustedDevice = false) => access.checker({ username: name, roles, traits, onTrustedDevice }),
  }
}
