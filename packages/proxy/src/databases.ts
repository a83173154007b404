/** Everything about databases, built on the foundations. */
import type { Duplex } from 'node:stream'
import { nativeDatabaseSuffix } from '@sallyport/wire/native-ssh.ts'
import { databasesRoutes } from './areas/databases/routes.ts'
import { signRoutes } from './areas/databases/sign.ts'
import { createDatabaseAuthority } from './core/authorities/database-authority.ts'
import { databaseKind } from './core/databases/database.ts'
import { createResourceStore } from './core/resources/resources.ts'
import { managedServed } from './core/served/managed-served.ts'
import { openServed } from './core/served/served.ts'
import type { Foundations } from './foundations.ts'
import { sqlSocket } from './kinds/db/console/sql-socket.ts'
import { createDatabaseDialer } from './kinds/db/database-target.ts'
import { createNativePostgres } from './kinds/db/native/native-postgres.ts'
import type { NativeClient } from './kinds/db/native/native-postgres.ts'
import { databaseConnectionTester } from './kinds/db/test-connection.ts'
import type { ConnectionLimit } from './core/sessions/connection-limit.ts'

export async function openDatabases(foundations: Foundations, connections: ConnectionLimit) {
  const { access, agentTunnels, announcements, audit, cluster, clock, config, db, feed, identity, joinTokens, keys } = foundations
  const { listen, lockView, log, masterKey, runningSessions, settings } = foundations
  const authority = createDatabaseAuthority({ directory: keys, masterKey, clock, clusterName: config.clusterName })
  const databases = await openServed(databaseKind, {
    db,
    ...(listen && { listen }),
    clock,
    log,
    store: createResourceStore(databaseKind.documents, { db, feed, clock }),
    feed,
    audit,
    through: agentTunnels.through,
  })
  announcements.add(databases)
  const connect = createDatabaseDialer({ databases, authority })
  const sessions = { cluster, settings, audit, runningSessions, connections, connect, log, databases }
  const native = createNativePostgres(sessions)
  return {
    databases,
    authority,
    managed: managedServed(databases, ['database']),
    routes: [...databasesRoutes({ cluster, databases, access, audit }), ...signRoutes({ joinTokens, databaseAuthority: authority, audit })],
    socket: sqlSocket({ ...sessions, factors: identity.services.factors }),
    tester: databaseConnectionTester({ ...identity.services, ...sessions, locks: lockView }),
    /** For native clients, under the name of a database and `.db` behind it. */
    service: (host: string, client: NativeClient) => {
      if (!host.endsWith(nativeDatabaseSuffix)) return undefined
      const name = host.slice(0, -nativeDatabaseSuffix.length)
      return (stream: Duplex) => void native.serve(stream, name, client)
    },
    [Symbol.asyncDispose]: () => databases[Symbol.asyncDispose](),
  }
}
