/** Users: listed, read, made, changed and removed by administrators. */
import { ok } from '@sallyport/wire/call.ts'
import { create, list, read, remove, update } from '@sallyport/wire/calls/users.ts'
import { traitNames } from '@sallyport/wire/entities/user.ts'
import type { TraitName, UserChangeWire, UserItemWire, UserWire } from '@sallyport/wire/entities/user.ts'
import { badParameter } from '../../core/errors.ts'
import type { AccountStates, StateOf } from '../../core/identity/account-states.ts'
import type { Accounts } from '../../core/identity/accounts.ts'
import type { Devices } from '../../core/identity/devices.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'
import { authTypeOf, botOf } from '../../core/users.ts'
import type { User, UserStore } from '../../core/users.ts'

export interface UserRoutesDeps {
  users: Pick<UserStore, 'list' | 'require'>
  accounts: Pick<Accounts, 'add' | 'change' | 'remove'>
  accountStates: AccountStates
  devices: Pick<Devices, 'of'>
}

type Traits = Record<string, string[]>

export function userRoutes({ users, accounts, accountStates, devices }: UserRoutesDeps): Route[] {
  const detailsOf = async (user: User): Promise<UserWire> => {
    const { name, labels } = user.metadata
    const { created_by: made, traits } = user.spec
    const stateOf = await accountStates.read()
    const { lock } = stateOf(user)
    return {
      ...itemOf(stateOf)(user),
      ...(lock === undefined ? {} : { lock }),
      traits: namedTraits(traits),
      allTraits: traits,
      ...(labels['teleport.dev/origin'] ? { origin: labels['teleport.dev/origin'] } : {}),
      devices: (await devices.of(name)).length,
      ...(made.time ? { created: made.time } : {}),
      ...(made.user ? { createdBy: made.user.name } : {}),
    }
  }
  return [
    on(list, async () => (await users.list()).map(itemOf(await accountStates.read()))),
    on(read, async ({ params }) => detailsOf(await users.require(params.name))),
    on(create, async ({ body, caller }) => {
      const { name, roles } = named(body)
      const user = { metadata: { name }, spec: { roles, traits: changedTraits({}, body) } }
      return detailsOf(await accounts.add(user, caller.username))
    }),
    on(update, async ({ body, caller }) => {
      const { name, roles } = named(body)
      const edit = (user: User): User => ({ ...user, spec: { ...user.spec, roles, traits: changedTraits(user.spec.traits, body) } })
      return detailsOf(await accounts.change(name, edit, caller.username))
    }),
    on(remove, async ({ params, caller }) => {
      if (params.name === caller.username) throw badParameter('cannot delete own user account')
      await accounts.remove(params.name, caller.username)
      return ok
    }),
  ]
}

function named({ name, roles, traits, allTraits }: UserChangeWire): { name: string; roles: string[] } {
  if (!name) throw badParameter('missing user name')
  if (!roles || roles.length === 0) throw badParameter('missing roles')
  if (traits && allTraits) throw badParameter('either traits or allTraits may be given, not both')
  return { name, roles }
}

const itemOf =
  (stateOf: StateOf) =>
  (user: User): UserItemWire => {
    const { connector } = user.spec.created_by
    return {
      name: user.metadata.name,
      roles: user.spec.roles,
      authType: authTypeOf(user),
      ...(botOf(user) === undefined ? {} : { isBot: true }),
      ...(connector ? { connector: connector.id } : {}),
      state: stateOf(user).state,
    }
  }

/** The seven with a name of their own; those without a value are left out. */
function namedTraits(traits: Readonly<Traits>): Partial<Record<TraitName, string[]>> {
  const found: Partial<Record<TraitName, string[]>> = {}
  for (const [wireName, name] of Object.entries(traitNames)) {
    const values = traits[name]
    if (values && values.length > 0) found[wireName as TraitName] = values
  }
  return found
}

/** What becomes of the traits that a user has. Traits of other names stay, unless all of them are given. */
function changedTraits(current: Readonly<Traits>, { traits, allTraits }: UserChangeWire): Traits {
  const next = new Map(Object.entries(allTraits ?? current).map(([name, values]) => [name, values ?? []]))
  for (const [wireName, name] of Object.entries(traitNames)) {
    const values = traits?.[wireName as TraitName]
    if (values) next.set(name, values)
  }
  // A list without a value is no trait.
  return Object.fromEntries([...next].filter(([, values]) => values.length > 0))
}
