import { adminCalls } from '@sallyport/wire/admin.ts'
import { ask } from '../admin-client.ts'
import { dataDirOf } from '../data-dir.ts'

export async function addUser(name: string, options: { roles: string[]; logins: string[]; dataDir?: string }): Promise<void> {
  const { roles, logins } = options
  const { link, expires } = await ask(dataDirOf(options), adminCalls.addUser, { name, roles, logins })
  console.log(`${name} can sign up until ${expires} with this link, once:`)
  console.log(link)
}

export async function resetUser(name: string, options: { dataDir?: string }): Promise<void> {
  const { link, expires } = await ask(dataDirOf(options), adminCalls.resetUser, { name })
  console.log(`${name} can set a new password until ${expires} with this link, once:`)
  console.log(link)
}
