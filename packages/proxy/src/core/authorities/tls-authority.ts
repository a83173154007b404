/** The authority of people's X.509 certificates. */
import type { KeyObject } from 'node:crypto'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import type { MasterKey } from './master-key.ts'
import { createX509Authority } from './x509-authority.ts'

export interface TlsAuthority {
  /** PEM. */
  certificate(): Promise<string>
  /** A client certificate in PEM. `expires` in epoch milliseconds. `facts`: what else it says about the person, as addresses of ours. */
  issue(subject: {
    user: string
    roles: readonly string[]
    publicKey: KeyObject
    expires: number
    facts?: readonly string[]
  }): Promise<string>
  /** A certificate of a server that holders of client certificates meet. */
  issueServer(subject: { name: string; publicKey: KeyObject }): Promise<string>
}

/** Of a server's key, which lives no longer than the process that made it. */
const serverLifetime = 366 * 24 * 3_600_000

export interface AuthorityPlace {
  directory: string
  masterKey: MasterKey
  clock: Clock
  clusterName: string
}

export function createTlsAuthority({ directory, clusterName, ...place }: AuthorityPlace): TlsAuthority {
  const authority = createX509Authority({
    ...place,
    file: join(directory, 'people-tls-authority.json'),
    label: 'authority/tls-people',
    commonName: `${clusterName} people`,
  })
  return {
    certificate: authority.certificate,
    issue: ({ user, roles, publicKey, expires, facts = [] }) =>
      authority.issue({ commonName: user, organizations: roles, publicKey, expires, for: 'client', addresses: facts }),
    issueServer: ({ name, publicKey }) =>
      authority.issue({ commonName: name, publicKey, expires: place.clock.now() + serverLifetime, for: 'server', hosts: [name] }),
  }
}
