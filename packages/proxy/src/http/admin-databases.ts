/** Certificates for the servers of databases, from the command line. */
import { adminCalls } from '@sallyport/wire/admin.ts'
import { readHosts, readTtl } from '../areas/databases/sign.ts'
import type { Context } from '../context.ts'
import type { OnAdminCall } from './admin-resources.ts'

export function serveDatabases(
  on: OnAdminCall,
  { audit, databaseAuthority }: Pick<Context, 'audit' | 'databaseAuthority'>,
  by: string,
): void {
  on(adminCalls.signDatabase, async ({ hosts, ttl }) => {
    const names = readHosts(hosts)
    const lifetime = readTtl(ttl)
    await audit.emit('TC000I', { user: by, cert_type: 'database', identity: { user: names.join(', ') } })
    return { ...(await databaseAuthority.issueServer(names, lifetime)), authority: await databaseAuthority.certificate() }
  })
}
