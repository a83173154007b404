/** Users as administrators see them, and their traits in the two spellings of the wire. */
import * as z from 'zod/mini'
import { listOf } from '../call.ts'
import { wireDate } from './wire-date.ts'

/** The seven traits with a name of their own on the wire → the name under which they are stored and used by roles. */
export const traitNames = {
  logins: 'logins',
  databaseUsers: 'db_users',
  databaseNames: 'db_names',
  kubeUsers: 'kubernetes_users',
  kubeGroups: 'kubernetes_groups',
  windowsLogins: 'windows_logins',
  awsRoleArns: 'aws_role_arns',
} as const
export type TraitName = keyof typeof traitNames

/** Other traits that roles know, and `email` for plugins; any key may be used besides. */
export const furtherTraits = ['db_roles', 'azure_identities', 'gcp_service_accounts', 'host_user_uid', 'host_user_gid', 'email'] as const

export const traitKeyMaxLength = 255
export const traitValueMaxLength = 2048
export const traitValuesMax = 1000
const traitsMax = 200

const traitValues = z.array(z.string().check(z.maxLength(traitValueMaxLength))).check(z.maxLength(traitValuesMax))
const named = <T extends z.ZodMiniType>(field: T) =>
  z.object({
    logins: field,
    databaseUsers: field,
    databaseNames: field,
    kubeUsers: field,
    kubeGroups: field,
    windowsLogins: field,
    awsRoleArns: field,
  } satisfies Record<TraitName, T>)

const allTraits = z.record(z.string(), listOf(z.string()))

/** `invited` until the account is set up, `locked` by a lock, `blocked` for a while after too many wrong attempts. */
export const userStates = ['active', 'invited', 'locked', 'blocked'] as const
export type UserState = (typeof userStates)[number]

const userFields = {
  name: z.string(),
  roles: listOf(z.string()),
  /** `local`, or the type of the identity provider. */
  authType: z._default(z.string(), 'local'),
  /** Ours: the name of the identity provider. */
  connector: z.optional(z.string()),
  /** Ours. */
  state: z.catch(z.optional(z.enum(userStates)), undefined),
  isBot: z.optional(z.boolean()),
}
export const userItemWire = z.object(userFields)
export type UserItemWire = z.output<typeof userItemWire>
export const userItemsWire = listOf(userItemWire)

export const userWire = z.object({
  ...userFields,
  traits: z.optional(z.partial(named(listOf(z.string())))),
  /** Every trait under its stored name. */
  allTraits: z.optional(allTraits),
  origin: z.optional(z.string()),
  /** Ours: how many second-factor devices there are. */
  devices: z.optional(z.number()),
  /** Ours: why a lock keeps the user out. */
  lock: z.optional(z.string()),
  /** Ours: when and by whom the user was made. */
  created: z.optional(z.string()),
  createdBy: z.optional(z.string()),
})
export type UserWire = z.output<typeof userWire>

/**
 * What creating and changing take. A trait that is absent or null stays as it is, an empty list clears it, any other
 * replaces it. `allTraits` instead of `traits` replaces all of them.
 */
export const userChangeWire = z.object({
  name: z._default(z.string().check(z.maxLength(255)), ''),
  roles: z.nullish(z.array(z.string().check(z.minLength(1), z.maxLength(255))).check(z.maxLength(500))),
  traits: z.nullish(z.partial(named(z.nullish(traitValues)))),
  allTraits: z.nullish(
    z
      .record(z.string().check(z.minLength(1), z.maxLength(traitKeyMaxLength)), z.nullish(traitValues))
      .check(z.refine((traits) => Object.keys(traits).length <= traitsMax, `at most ${traitsMax} traits`)),
  ),
})
export type UserChangeWire = z.input<typeof userChangeWire>

export interface User {
  name: string
  /** Sorted. */
  roles: string[]
  authType: string
  isLocal: boolean
  /** Under their stored names. */
  traits: Record<string, string[]>
  connector: string
  /** Undefined when the proxy does not tell. */
  state: UserState | undefined
  isBot: boolean
}

export interface UserDetails extends User {
  /** Whether the proxy keeps traits of any name. */
  anyTrait: boolean
  origin: string
  devices: number | undefined
  /** Empty while no lock keeps the user out. */
  lock: string
  created: Date | undefined
  createdBy: string
}

export const toUser = (wire: UserItemWire | UserWire): User => ({
  name: wire.name,
  roles: wire.roles.toSorted(),
  authType: wire.authType,
  isLocal: wire.authType === 'local',
  traits: traitsOf(wire),
  connector: wire.connector ?? '',
  state: wire.state,
  isBot: wire.isBot ?? false,
})

export const toUserDetails = (wire: UserWire): UserDetails => ({
  ...toUser(wire),
  anyTrait: wire.allTraits !== undefined,
  origin: wire.origin ?? '',
  devices: wire.devices,
  lock: wire.lock ?? '',
  created: wireDate(wire.created ?? ''),
  createdBy: wire.createdBy ?? '',
})

function traitsOf(wire: UserItemWire | UserWire): Record<string, string[]> {
  if ('allTraits' in wire && wire.allTraits) return wire.allTraits
  const given = 'traits' in wire ? (wire.traits ?? {}) : {}
  return Object.fromEntries(
    Object.entries(traitNames).flatMap(([wireName, name]) => {
      const values = given[wireName as TraitName]
      return values && values.length > 0 ? [[name, values]] : []
    }),
  )
}
