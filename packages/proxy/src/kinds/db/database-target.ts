/** What a session on a database is about, and how it is reached. */
import { databaseTitle } from '@sallyport/wire/entities/database.ts'
import { accessTo } from '../../core/access/assumed.ts'
import type { WantedPrincipals } from '../../core/access/principals.ts'
import type { Actor } from '../../core/caller.ts'
import type { DatabaseAuthority } from '../../core/authorities/database-authority.ts'
import { hostingOf, hostOf, openedProtocolOf } from '../../core/databases/database.ts'
import type { DatabaseItem, Databases, OpenedProtocol } from '../../core/databases/database.ts'
import { notFound, notImplemented } from '../../core/errors.ts'
import type { DatabaseProtocol, SecuredServer, ServerLogin } from './database-protocol.ts'

export interface DatabaseTarget extends ServerLogin {
  database: DatabaseItem
  protocol: OpenedProtocol
}

/** To the server, secured by TLS. Rejects with AppError. */
export type DatabaseDialer = <Wishes, LoggedIn>(
  protocol: { secure: DatabaseProtocol<Wishes, LoggedIn & { key: unknown }, unknown>['secure'] },
  wishes: Wishes,
  target: Omit<DatabaseTarget, 'protocol'>,
  signal: AbortSignal,
) => Promise<SecuredServer<LoggedIn>>

export const wantedOf = ({ user, name }: ServerLogin): WantedPrincipals => ({
  db_users: user,
  ...(name !== undefined && { db_names: name }),
})

export interface FindTargetDeps {
  databases: { registry: Pick<Databases['registry'], 'get'> }
}

/** Throws not found, also for one that the caller may not see; not implemented for one that is only listed. */
export function findTarget(
  { databases }: FindTargetDeps,
  { database: name, ...login }: ServerLogin & { database: string },
  actor: Pick<Actor, 'access' | 'requested'>,
): DatabaseTarget {
  const database = databases.registry.get(name)
  if (!database || !accessTo(actor, 'db', name).canSee('db', database.labels)) throw notFound(`database "${name}" not found`)
  const protocol = openedProtocolOf(database)
  if (!protocol)
    throw notImplemented(
      `database "${name}" is only listed here: it is ${databaseTitle(hostingOf(database.spec), database.spec.protocol)}; PostgreSQL, MySQL and MariaDB of your own are what is opened`,
    )
  return { database, protocol, ...login }
}

const verifications = { 'verify-full': 'full', 'verify-ca': 'ca', insecure: 'none' } as const

/** Over the network or through the agent that reaches it, logged in by a certificate of a minute. */
export const createDatabaseDialer =
  ({ databases, authority }: { databases: Pick<Databases, 'dial'>; authority: DatabaseAuthority }): DatabaseDialer =>
  async (protocol, wishes, { database, user, name }, signal) => {
    const { ca_cert: ca, tls } = database.spec
    const [login, own] = await Promise.all([authority.issueLogin(user), authority.certificate()])
    const trust = {
      ca: ca ?? own,
      serverName: tls?.server_name ?? hostOf(database.uri),
      verify: verifications[tls?.mode ?? 'verify-full'],
      login,
    }
    return protocol.secure(await databases.dial(database, signal), trust, { user, name, wishes }, signal)
  }
