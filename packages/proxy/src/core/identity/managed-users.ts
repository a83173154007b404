/** Users as documents for export and import; with secrets, their passwords and devices are part of them. */
import { toResource, writeResource } from '../resources/documents.ts'
import type { ResourceDocument } from '../resources/documents.ts'
import { badParameter } from '../errors.ts'
import { refuseExisting } from '../resources/managed-kinds.ts'
import type { ManagedKind } from '../resources/managed-kinds.ts'
import { userKind } from '../users.ts'
import type { User, UserStore } from '../users.ts'
import { accountSecretsSchema } from './account-secrets.ts'
import type { AccountSecrets, AccountSecretsStore } from './account-secrets.ts'
import type { Accounts } from './accounts.ts'

export interface ManagedUsersDeps {
  users: Pick<UserStore, 'get' | 'list' | 'require'>
  accounts: Pick<Accounts, 'add' | 'change' | 'remove'>
  accountSecrets: AccountSecretsStore
}

export function managedUsers({ users, accounts, accountSecrets }: ManagedUsersDeps): ManagedKind {
  return {
    kind: userKind.kind,
    aliases: [],
    names: async () => (await users.list()).map(({ metadata }) => metadata.name),
    async read(name, withSecrets) {
      const user = await users.require(name)
      const local_auth = withSecrets ? await accountSecrets.read(name) : undefined
      // Only the text knows of the secrets: the stored document never holds them.
      const spec = local_auth ? { ...user.spec, local_auth } : user.spec
      return writeResource(userKind, { ...user, metadata: { ...user.metadata, revision: '' }, spec })
    },
    async apply(document, { force, by }) {
      const { plain, secrets } = split(document)
      const user = toResource(userKind, plain)
      const { name } = user.metadata
      const existing = await users.get(name)
      if (existing && !force) throw refuseExisting('user', name)
      if (existing) await accounts.change(name, (now) => replacementOf(now, user), by)
      else await accounts.add(user, by)
      if (secrets) await accountSecrets.write(name, secrets)
      return existing ? 'replaced' : 'created'
    },
    remove: (name, by) => accounts.remove(name, by),
  }
}

/** A document that does not say who made the user leaves that as it is: it decides how they sign in. */
const replacementOf = (now: User, next: User): User => ({
  ...next,
  metadata: { ...next.metadata, revision: now.metadata.revision },
  spec: { ...next.spec, created_by: { ...now.spec.created_by, ...next.spec.created_by } },
})

function split(document: ResourceDocument): { plain: ResourceDocument; secrets: AccountSecrets | undefined } {
  const { spec } = document
  if (typeof spec !== 'object' || spec === null || !('local_auth' in spec)) return { plain: document, secrets: undefined }
  const { local_auth, ...rest } = spec
  const secrets = accountSecretsSchema.safeParse(local_auth)
  if (!secrets.success)
    throw badParameter('spec.local_auth holds no password and devices that can be used here; leave it out and invite the user again', {
      cause: secrets.error,
    })
  return { plain: { ...document, spec: rest }, secrets: secrets.data }
}
