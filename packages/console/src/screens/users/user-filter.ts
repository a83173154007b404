/** The list of users as the address asks for it. */
import * as z from 'zod/mini'
import { userStates } from '@sallyport/wire/entities/user.ts'
import type { User, UserState } from '@sallyport/wire/entities/user.ts'
import { wholeListShape } from '../../parts/list/use-whole-list.ts'

export const usersList = {
  title: 'Users',
  one: 'user',
  many: 'users',
  rule: 'user: list, read',
  order: { fields: ['name', 'roles', 'type', 'status'] },
  hints: [
    ['j k', 'move'],
    ['↵', 'details'],
    ['m', 'menu'],
  ],
  keyOf: ({ name }: User): string => name,
  textOf: (user: User): string => [user.name, ...user.roles, typeOf(user), user.state ? stateWords[user.state] : ''].join(' '),
} as const

export const userSearch = z.object({
  ...wholeListShape(usersList.order),
  role: z.optional(z.string()),
  status: z.optional(z.enum(userStates)),
  /** Whose details are open. */
  user: z.optional(z.string()),
})
export type UserSearch = z.output<typeof userSearch>

export const stateWords: Record<UserState, string> = {
  active: 'Active',
  invited: 'Invite pending',
  locked: 'Locked',
  blocked: 'Too many attempts',
}

const typeWords: Record<string, string> = { local: 'Local', github: 'GitHub', oidc: 'OIDC', saml: 'SAML' }
export const typeOf = ({ authType, connector }: Pick<User, 'authType' | 'connector'>): string =>
  [typeWords[authType] ?? authType, connector].filter(Boolean).join(' · ')

/** Those with the role and the status. */
export function filterUsers(users: readonly User[], { role, status }: Pick<UserSearch, 'role' | 'status'>): readonly User[] {
  if (role === undefined && status === undefined) return users
  return users.filter((user) => (role === undefined || user.roles.includes(role)) && (status === undefined || user.state === status))
}

/** Every role that somebody holds, with how many do, by name. */
export function heldRoles(users: readonly User[]): { name: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const { roles } of users) for (const role of roles) counts.set(role, (counts.get(role) ?? 0) + 1)
  return [...counts].map(([name, count]) => ({ name, count })).toSorted((a, b) => a.name.localeCompare(b.name))
}
