/** What passes PostgreSQL on, without the way that leads to it: for measuring the parts of a session by themselves. */
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Audit } from '@sallyport/proxy/core/audit/audit.ts'
import { createDatabaseAuthority } from '@sallyport/proxy/core/authorities/database-authority.ts'
import type { DatabaseAuthority } from '@sallyport/proxy/core/authorities/database-authority.ts'
import { openMasterKey } from '@sallyport/proxy/core/authorities/master-key.ts'
import { systemClock } from '@sallyport/proxy/core/clock.ts'
import { createLog } from '@sallyport/proxy/core/log.ts'
import { createConnectionLimit } from '@sallyport/proxy/core/sessions/connection-limit.ts'
import { createRunningSessions } from '@sallyport/proxy/core/sessions/running-sessions.ts'
import { tcpRoute } from '@sallyport/proxy/core/tunnel/tunnel.ts'
import { createDatabaseDialer } from '@sallyport/proxy/kinds/db/database-target.ts'
import { createNativePostgres } from '@sallyport/proxy/kinds/db/native/native-postgres.ts'
import type { NativeClient, NativePostgresDeps } from '@sallyport/proxy/kinds/db/native/native-postgres.ts'
import type { World } from '@sallyport/testkit/world.ts'
import type { Server } from './pgbench.ts'

/** The one whose certificates the databases of a world trust. */
export async function authorityOf({ dataDir, cluster }: World): Promise<DatabaseAuthority> {
  const directory = join(dataDir, 'keys')
  const masterKey = await openMasterKey(join(directory, 'master.key'))
  return createDatabaseAuthority({ directory, masterKey, clock: systemClock, clusterName: cluster })
}

/** Logged in over TLS, as the proxy does. Good for a minute. */
export async function withCertificate(authority: DatabaseAuthority, port: number, folder: string): Promise<Server> {
  const { key, certificate } = await authority.issueLogin('writer')
  const files = { key, crt: certificate, cas: await authority.certificate() }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, `login.${name}`), text, { mode: 0o600 })
  const env = {
    PGSSLMODE: 'verify-full',
    PGSSLCERT: join(folder, 'login.crt'),
    PGSSLKEY: join(folder, 'login.key'),
    PGSSLROOTCERT: join(folder, 'login.cas'),
  }
  return { host: '127.0.0.1', port, env }
}

/** On a socket in a folder of its own, for somebody who may do anything. */
export async function startRelay(
  authority: DatabaseAuthority,
  port: number,
  emit: Audit['emit'],
): Promise<AsyncDisposable & { server: Server }> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-relay-'))
  const database = { id: 'orders', uri: `127.0.0.1:${port}`, labels: {}, spec: { protocol: 'postgres' } }
  const registry = { get: () => database }
  const everything = {
    canSee: () => true,
    checkResource: () => ({ allowed: true }),
    resourceNeedsMfa: () => false,
    options: { maxConnections: 0, clientIdleTimeout: 0 },
  }
  const never = { [Symbol.dispose]: () => undefined }
  const stopping = new AbortController()
  const dial = (_database: unknown, signal: AbortSignal) => tcpRoute({ host: '127.0.0.1', port })(signal)
  // As little of everything as a session asks for.
  const deps = {
    cluster: { name: 'bench' },
    settings: { authPreference: { require_session_mfa: false }, networking: { client_idle_timeout: 0 } },
    audit: { emit },
    runningSessions: createRunningSessions({ clock: systemClock, locks: { watch: () => never } }),
    connections: createConnectionLimit(),
    connect: createDatabaseDialer({ databases: { dial }, authority }),
    log: createLog('error'),
    databases: { registry },
  } as unknown as NativePostgresDeps
  const client = {
    caller: { username: 'alice', roles: [], traits: {}, access: everything, signal: stopping.signal },
    address: '127.0.0.1:1',
    isConfirmed: true,
    stopping: stopping.signal,
  } as unknown as NativeClient
  const native = createNativePostgres(deps)
  const listening = createServer({ allowHalfOpen: true }, (socket) => void native.serve(socket, 'orders', client))
  listening.listen(join(folder, '.s.PGSQL.5432'))
  await once(listening, 'listening')
  return {
    server: { host: folder, port: 5432 },
    async [Symbol.asyncDispose]() {
      stopping.abort()
      listening.close()
      await rm(folder, { recursive: true })
    },
  }
}
