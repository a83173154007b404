/** Somebody must always be able to administer users and roles: changes that would leave nobody are refused. */
import type { Verb } from '@sallyport/wire/acl.ts'
import { badParameter, limitExceeded } from '../errors.ts'
import type { Store } from '../../store/db.ts'
import type { Clock } from '../clock.ts'
import { takeTurns } from '../identity/take-turns.ts'
import { readResources } from '../resources/resources.ts'
import type { Resource, ResourceKind } from '../resources/resources.ts'
import { authTypeOf, userKind } from '../users.ts'
import type { User } from '../users.ts'
import { createAccessChecker } from './checker.ts'
import { roleKind } from './role.ts'
import type { Role } from './role.ts'

/** Who there is and what they may do, as it is or as it would be. */
export interface Administration {
  users: readonly User[]
  roles: readonly Role[]
}

const verbs: readonly Verb[] = ['list', 'read', 'create', 'update']

/**
 * Names of the local users who may give rights back to anybody: those who list, read, create and update users and roles.
 * People of identity providers do not count, for whether they come back with these roles is not decided here.
 */
export const administratorsOf = (administration: Administration): string[] =>
  administration.users.filter(isAdministratorAmong(administration)).map(({ metadata }) => metadata.name)

function isAdministratorAmong({ roles }: Administration): (user: User) => boolean {
  const byName = new Map(roles.map((role) => [role.metadata.name, role]))
  return (user) => {
    if (authTypeOf(user) !== 'local') return false
    const held = user.spec.roles.flatMap((role) => byName.get(role) ?? [])
    const access = createAccessChecker({ username: user.metadata.name, roles: held, traits: user.spec.traits })
    return verbs.every((verb) => access.allows('user', verb) && access.allows('role', verb))
  }
}

/** Why a change is refused that would take the last administrator away; undefined when one remains or there was none before. */
export function whyLastAdministratorGone(before: Administration, after: Administration): string | undefined {
  if (after.users.some(isAdministratorAmong(after))) return undefined
  const names = administratorsOf(before)
  if (names.length === 0) return undefined
  const those = names.length === 1 ? `"${names[0]}" is` : `${names.map((name) => `"${name}"`).join(', ')} are`
  return `this would leave nobody who can administer users and roles: ${those} the last; give another local user these rights first`
}

export interface AdministratorGuard {
  /**
   * Makes a change, unless `after` of how things are now leaves no administrator: throws bad parameter then.
   * Changes run one after the other, on all proxies of the cluster, so that two of them cannot each rely on the other's administrator.
   */
  change<T>(after: (now: Administration) => Administration, act: () => Promise<T>): Promise<T>
}

export function createAdministratorGuard({
  store: { db, alone: aloneInStore },
  clock,
}: {
  store: Pick<Store, 'db' | 'alone'>
  clock: Clock
}): AdministratorGuard {
  /** From the database: what another proxy has just changed may not be known here yet. */
  async function read<Spec, SpecInput>(kind: ResourceKind<Spec, SpecInput>): Promise<Resource<Spec>[]> {
    const all = [...(await readResources(kind, db)).values()]
    return all.filter(({ metadata: { expires } }) => expires === null || Date.parse(expires) > clock.now())
  }
  const alone = takeTurns({ atOnce: 1, waiting: 1000, refusal: () => limitExceeded('too many changes at once; try again') })
  return {
    change: (after, act) =>
      alone(() =>
        aloneInStore(async () => {
          const now = { users: await read(userKind), roles: await read(roleKind) }
          const reason = whyLastAdministratorGone(now, after(now))
          if (reason !== undefined) throw badParameter(reason)
          return act()
        }),
      ),
  }
}
