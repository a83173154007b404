/** Users that a provider vouches for: made or replaced at every sign-in, gone with their session. */
import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import { AppError } from '../errors.ts'
import type { ConnectorType } from '../connectors/connectors.ts'
import { parseResource } from '../resources/resources.ts'
import { authTypeOf, userKind } from '../users.ts'
import type { User, UserInput, UserStore } from '../users.ts'
import { SsoError } from './sso-error.ts'

export interface SsoUser {
  name: string
  type: ConnectorType
  connector: string
  /** The provider's own name of the account. */
  identity: string
  roles: readonly string[]
  traits: Readonly<Record<string, readonly string[]>>
  /** Epoch milliseconds. */
  expires: number
}

export interface SsoUsers {
  /** Throws SsoError when the name belongs to somebody else or cannot be a user name. */
  save(user: SsoUser): Promise<void>
}

/** Sign-ins of one person at the same moment get past each other within a few tries. */
const attempts = 5

export function createSsoUsers({ users, audit, clock }: { users: UserStore; audit: Pick<Audit, 'emit'>; clock: Clock }): SsoUsers {
  const documentOf = (user: SsoUser): UserInput => ({
    metadata: { name: user.name, expires: new Date(user.expires).toISOString() },
    spec: {
      roles: [...user.roles],
      traits: Object.fromEntries(Object.entries(user.traits).map(([name, values]) => [name, [...values]])),
      created_by: {
        time: new Date(clock.now()).toISOString(),
        connector: { type: user.type, id: user.connector, identity: user.identity },
      },
    },
  })
  async function trySave(user: SsoUser): Promise<void> {
    const existing = await users.get(user.name)
    requireOwn(user, existing)
    const document = documentOf(user)
    const fields = {
      user: user.name,
      name: user.name,
      roles: [...user.roles],
      connector: user.connector,
      expires: new Date(user.expires).toISOString(),
    }
    if (!existing) {
      parseResource(userKind, document)
      await audit.emit('T1002I', fields)
      await users.create(document)
      return
    }
    if (existing.spec.roles.toSorted().join() !== user.roles.toSorted().join()) await audit.emit('T1003I', fields)
    await users.update({ ...document, metadata: { ...document.metadata, revision: existing.metadata.revision } })
  }
  return {
    async save(user) {
      for (let attempt = 1; ; attempt++)
        try {
          return await trySave(user)
        } catch (error) {
          if (!(error instanceof AppError)) throw error
          if (error.code === 'bad_parameter') throw new SsoError('callback', error.message, { cause: error })
          if (attempt === attempts) throw error
        }
    },
  }
}

function requireOwn({ name, type, connector, identity }: SsoUser, existing: User | undefined): void {
  if (!existing) return
  if (authTypeOf(existing) === 'local') throw new SsoError('callback', `a local user "${name}" already exists`)
  const owner = existing.spec.created_by.connector
  if (owner?.type !== type || owner.id !== connector || owner.identity !== identity)
    throw new SsoError(
      'callback',
      `the user name "${name}" is in use by another account (of connector "${owner?.id}") until its session ends`,
    )
}
