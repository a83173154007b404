/** What somebody may do at this moment: by their own roles, and by the access requests that a session has assumed. */
import { requestedResources, rolesOfRequests } from '../access/assumed.ts'
import type { AssumedRequest } from '../access/assumed.ts'
import type { Actor } from '../caller.ts'
import type { People, Person } from './people.ts'

export const withRoles = (person: Person, more: readonly string[]): Person => ({
  ...person,
  roles: [...new Set([...person.roles, ...more])],
})

/** Reads no table: users and roles are in memory. */
export async function accessHeld(
  people: Pick<People, 'accessOf'>,
  own: Person,
  assumed: readonly AssumedRequest[],
  onTrustedDevice = false,
): Promise<Pick<Actor, 'username' | 'roles' | 'traits' | 'isBot' | 'access' | 'requested'>> {
  const person = withRoles(own, rolesOfRequests(assumed))
  const roles = assumed.flatMap((request) => request.roles)
  const wider = withRoles(own, roles)
  return {
    username: person.name,
    ...(own.isBot && { isBot: true }),
    roles: person.roles,
    traits: person.traits,
    access: await people.accessOf(person, onTrustedDevice),
    ...(wider.roles.length > person.roles.length && {
      requested: requestedResources(assumed, await people.accessOf(wider, onTrustedDevice)),
    }),
  }
}
