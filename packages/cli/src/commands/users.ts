import { adminCalls } from '@sallyport/wire/admin.ts'
import { ask } from '../admin-client.ts'
import { CommandError } from '../command-error.ts'
import { dataDirOf } from '../data-dir.ts'
import { printTable } from '../table.ts'

export async function addUser(name: string, options: { roles: string[]; logins: string[]; dataDir?: string }): Promise<void> {
  const { roles, logins } = options
  const { link, expires } = await ask(dataDirOf(options), adminCalls.addUser, { name, roles, logins })
  console.log(`${name} can sign up until ${expires} with this link, once:`)
  console.log(link)
}

const states = { active: 'active', invited: 'invite pending', locked: 'locked', blocked: 'too many attempts' } as const

export async function listUsers(options: { dataDir?: string }): Promise<void> {
  const users = await ask(dataDirOf(options), adminCalls.listUsers, undefined)
  const rows = users.map(({ name, roles, authType, state }) => [name, authType, state ? states[state] : '', roles.toSorted().join(',')])
  printTable([['NAME', 'TYPE', 'STATUS', 'ROLES'], ...rows])
}

export async function updateUser(name: string, options: { setRoles?: string[]; setLogins?: string[]; dataDir?: string }): Promise<void> {
  const { setRoles: roles, setLogins: logins } = options
  if (!roles && !logins) throw new CommandError('Say what to change with --set-roles or --set-logins.')
  await ask(dataDirOf(options), adminCalls.updateUser, { name, ...(roles && { roles }), ...(logins && { logins }) })
  console.log(`user "${name}" changed`)
}

export async function resetUser(name: string, options: { dataDir?: string }): Promise<void> {
  const { link, expires } = await ask(dataDirOf(options), adminCalls.resetUser, { name })
  console.log(`${name} can set a new password until ${expires} with this link, once:`)
  console.log(link)
}
