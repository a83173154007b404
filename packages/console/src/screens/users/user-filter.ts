/** The list of users as the address asks for it. */
import * as z from 'zod/mini'
import { userStates } from '@sallyport/wire/entities/user.ts'
import type { User, UserState } from '@sallyport/wire/entities/user.ts'

export const userSearch = z.object({
  q: z.optional(z.string()),
  role: z.optional(z.string()),
  status: z.optional(z.enum(userStates)),
  sort: z.optional(z.string().check(z.regex(/^(name|roles|type|status):(asc|desc)$/))),
  page: z.optional(z.string().check(z.regex(/^[1-9]\d{0,4}$/))),
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

/** Those that have every word of the text, the role and the status. */
export function filterUsers(users: readonly User[], { q = '', role, status }: Pick<UserSearch, 'q' | 'role' | 'status'>): readonly User[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0 && role === undefined && status === undefined) return users
  return users.filter((user) => {
    if (role !== undefined && !user.roles.includes(role)) return false
    if (status !== undefined && user.state !== status) return false
    if (words.length === 0) return true
    const text = [user.name, ...user.roles, typeOf(user), user.state ? stateWords[user.state] : ''].join(' ').toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

/** Every role that somebody holds, with how many do, by name. */
export function heldRoles(users: readonly User[]): { name: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const { roles } of users) for (const role of roles) counts.set(role, (counts.get(role) ?? 0) + 1)
  return [...counts].map(([name, count]) => ({ name, count })).toSorted((a, b) => a.name.localeCompare(b.name))
}
