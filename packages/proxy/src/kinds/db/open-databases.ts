/** Databases as the rest of the proxy knows them: listed, kept as documents, announced by agents, reached by browsers and native clients. */
import type { Duplex } from 'node:stream'
import { databaseTitle } from '@sallyport/wire/entities/database.ts'
import { nativeDatabaseSuffix } from '@sallyport/wire/native-ssh.ts'
import type { NativeDatabase } from '@sallyport/wire/native-ssh.ts'
import { createDatabaseAuthority } from '../../core/authorities/database-authority.ts'
import type { MasterKey } from '../../core/authorities/master-key.ts'
import { accessTo } from '../../core/access/assumed.ts'
import type { Actor } from '../../core/caller.ts'
import { databaseKind, hostingOf, openedProtocolOf } from '../../core/databases/database.ts'
import type { LockView } from '../../core/locks/lock-view.ts'
import { createResourceStore } from '../../core/resources/resources.ts'
import type { ResourceDeps } from '../../core/resources/resources.ts'
import type { Announcements } from '../../core/served/announcements.ts'
import { managedServed } from '../../core/served/managed-served.ts'
import { openServed } from '../../core/served/served.ts'
import type { ServedDeps } from '../../core/served/served.ts'
import { sqlSocket } from './console/sql-socket.ts'
import type { SqlSocketDeps } from './console/sql-socket.ts'
import { createDatabaseDialer } from './database-target.ts'
import { createNativeMysql } from './native/native-mysql.ts'
import { createNativePostgres } from './native/native-postgres.ts'
import type { NativeClient } from './native/native-postgres.ts'
import { databaseConnectionTester } from './test-connection.ts'
import type { ConnectionTestDeps } from './test-connection.ts'

const mysqlPort = 3306

export type DatabasesDeps = Omit<ServedDeps<never, never>, 'store' | 'feed'> &
  ResourceDeps &
  Omit<SqlSocketDeps & ConnectionTestDeps, 'databases' | 'connect' | 'locks'> & {
    /** Where the authority keeps its key. */
    keys: string
    masterKey: MasterKey
    announcements: Pick<Announcements, 'add'>
    lockView: LockView
  }

export async function openDatabases(deps: DatabasesDeps) {
  const { announcements, clock, cluster, keys, lockView, masterKey } = deps
  const authority = createDatabaseAuthority({ directory: keys, masterKey, clock, clusterName: cluster.name })
  const databases = await openServed(databaseKind, { ...deps, store: createResourceStore(databaseKind.documents, deps) })
  announcements.add(databases)
  const sessions = { ...deps, databases, connect: createDatabaseDialer({ databases, authority }) }
  const protocols = { postgres: createNativePostgres(sessions), mysql: createNativeMysql(sessions) }
  /**
   * For native clients, under the name of a database and `.db` behind it. Who speaks first differs: where there is no such
   * database for the client, it is the port that tells.
   */
  const serve = (host: string, client: NativeClient, port: number) => {
    if (!host.endsWith(nativeDatabaseSuffix)) return undefined
    const name = host.slice(0, -nativeDatabaseSuffix.length)
    const found = databases.registry.get(name)
    const item = found && accessTo(client.caller, 'db', name).canSee('db', found.labels) ? found : undefined
    const protocol = item ? openedProtocolOf(item) : port === mysqlPort ? 'mysql' : 'postgres'
    return (stream: Duplex) =>
      void (protocol === 'mysql' ? protocols.mysql.serve(stream, item, client, name) : protocols.postgres.serve(stream, name, client))
  }
  /** Those that somebody may see, for native clients. */
  const listDatabases = (actor: Pick<Actor, 'access' | 'requested'>): NativeDatabase[] =>
    [...databases.registry.items(({ id, labels }) => accessTo(actor, 'db', id).canSee('db', labels))]
      .map(({ id, labels, spec }) => {
        const access = accessTo(actor, 'db', id)
        return {
          name: id,
          protocol: spec.protocol,
          title: databaseTitle(hostingOf(spec), spec.protocol),
          users: access.principals('db', labels, 'db_users'),
          names: access.principals('db', labels, 'db_names'),
        }
      })
      .toSorted((a, b) => a.name.localeCompare(b.name))
  return {
    databases,
    authority,
    managed: managedServed(databases, ['database']),
    socket: sqlSocket(sessions),
    tester: databaseConnectionTester({ ...sessions, locks: lockView }),
    native: { services: [serve], listDatabases },
    [Symbol.asyncDispose]: () => databases[Symbol.asyncDispose](),
  }
}
