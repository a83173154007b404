/** What a session on a database is about, and how it is reached. */
import type { TLSSocket } from 'node:tls'
import { accessTo } from '../../core/access/assumed.ts'
import type { WantedPrincipals } from '../../core/access/principals.ts'
import type { Actor } from '../../core/caller.ts'
import type { DatabaseAuthority } from '../../core/authorities/database-authority.ts'
import { hostOf, isReachable } from '../../core/databases/database.ts'
import type { DatabaseItem, Databases } from '../../core/databases/database.ts'
import { notFound, notImplemented } from '../../core/errors.ts'
import { securePostgres } from './postgres/secure-stream.ts'

export interface DatabaseTarget {
  database: DatabaseItem
  /** Of the database. */
  user: string
  /** Undefined where the protocol has none that roles decide about. */
  name: string | undefined
}

/** To the server, secured by TLS. Rejects with AppError. */
export type DatabaseDialer = (target: DatabaseTarget, signal: AbortSignal) => Promise<TLSSocket>

export const wantedOf = ({ user, name }: Omit<DatabaseTarget, 'database'>): WantedPrincipals => ({
  db_users: user,
  ...(name !== undefined && { db_names: name }),
})

export interface FindTargetDeps {
  databases: { registry: Pick<Databases['registry'], 'get'> }
}

/** Throws not found, also for one that the caller may not see; not implemented for one that is only listed. */
export function findTarget(
  { databases }: FindTargetDeps,
  { database: name, ...login }: { database: string; user: string; name: string },
  actor: Pick<Actor, 'access' | 'requested'>,
): DatabaseTarget {
  const database = databases.registry.get(name)
  if (!database || !accessTo(actor, 'db', name).canSee('db', database.labels)) throw notFound(`database "${name}" not found`)
  if (!isReachable(database))
    throw notImplemented(`database "${name}" is only listed here: it speaks ${database.spec.protocol}, and PostgreSQL is what is opened`)
  return { database, ...login }
}

const verifications = { 'verify-full': 'full', 'verify-ca': 'ca', insecure: 'none' } as const

/** Over the network or through the agent that reaches it, logged in by a certificate of a minute. */
export const createDatabaseDialer =
  ({ databases, authority }: { databases: Pick<Databases, 'dial'>; authority: DatabaseAuthority }): DatabaseDialer =>
  async ({ database, user }, signal) => {
    const { ca_cert: ca, tls } = database.spec
    const [login, own] = await Promise.all([authority.issueLogin(user), authority.certificate()])
    const trust = {
      ca: ca ?? own,
      serverName: tls?.server_name ?? hostOf(database.uri),
      verify: verifications[tls?.mode ?? 'verify-full'],
      login,
    }
    return securePostgres(await databases.dial(database, signal), trust, signal)
  }
