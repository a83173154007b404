/**
 * The authority that self-hosted databases trust: it signs their servers, and the proxy's logins, whose common name is the
 * user of the database.
 */
import { generateKeyPairSync } from 'node:crypto'
import { join } from 'node:path'
import type { AuthorityPlace } from './tls-authority.ts'
import { createX509Authority } from './x509-authority.ts'

/** All in PEM. */
export interface KeyAndCertificate {
  key: string
  certificate: string
}

export interface DatabaseAuthority {
  /** PEM. */
  certificate(): Promise<string>
  /** For one login: it lives a minute, and neither key nor certificate is kept. */
  issueLogin(dbUser: string): Promise<KeyAndCertificate>
  /** For a server; `ttl` in milliseconds. */
  issueServer(hosts: readonly [string, ...string[]], ttl: number): Promise<KeyAndCertificate>
}

const loginLifetime = 60_000

export function createDatabaseAuthority({ directory, clusterName, ...place }: AuthorityPlace): DatabaseAuthority {
  const authority = createX509Authority({
    ...place,
    file: join(directory, 'database-authority.json'),
    label: 'authority/database',
    commonName: `${clusterName} databases`,
  })
  const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    certificate: authority.certificate,
    async issueLogin(dbUser) {
      const { privateKey, publicKey } = newKey()
      const expires = place.clock.now() + loginLifetime
      const certificate = await authority.issue({ commonName: dbUser, publicKey, expires, for: 'client' })
      return { key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(), certificate }
    },
    async issueServer(hosts, ttl) {
      const { privateKey, publicKey } = newKey()
      const expires = place.clock.now() + ttl
      const certificate = await authority.issue({ commonName: hosts[0], publicKey, expires, for: 'server', hosts })
      return { key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(), certificate }
    },
  }
}
