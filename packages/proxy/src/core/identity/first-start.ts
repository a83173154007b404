/** The very first start of a cluster makes its administrator. */
import { userInfo } from 'node:os'
import type { UserStore } from '../users.ts'
import type { Accounts } from './accounts.ts'

const administrator = 'admin'

/**
 * The token of the first administrator's invite; undefined when the cluster has users already, even if none of them
 * has set up an account yet: the link is told once, and `sallyport users reset admin` makes another.
 */
export async function inviteFirstAdministrator(
  users: Pick<UserStore, 'list'>,
  accounts: Pick<Accounts, 'create'>,
): Promise<string | undefined> {
  if ((await users.list()).length > 0) return undefined
  const logins = [...new Set(['root', userInfo().username])]
  const { tokenId } = await accounts.create({ name: administrator, roles: ['editor', 'access', 'auditor'], logins }, 'system')
  return tokenId
}
