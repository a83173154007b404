/** Everything around single sign-on, wired together. */
import type { Kysely } from 'kysely'
import type { Database } from '../../store/db.ts'
import type { RoleStore } from '../access/role.ts'
import type { Audit } from '../audit/audit.ts'
import type { MasterKey } from '../authorities/master-key.ts'
import type { Certificates } from '../certificates.ts'
import type { Clock } from '../clock.ts'
import type { ClusterSettings } from '../cluster/cluster-settings.ts'
import type { Connectors } from '../connectors/connectors.ts'
import type { People } from '../identity/people.ts'
import type { WebSessions } from '../identity/web-sessions.ts'
import type { Log } from '../log.ts'
import type { UserStore } from '../users.ts'
import { createConnectorTests } from './connector-tests.ts'
import { createEntry } from './entry.ts'
import { createProviders } from './providers.ts'
import { createSsoRequests } from './sso-requests.ts'
import { createSsoUsers } from './sso-users.ts'
import { createSso } from './sso.ts'

export interface SingleSignOnDeps {
  db: Kysely<Database>
  masterKey: MasterKey
  clock: Clock
  log: Log
  audit: Pick<Audit, 'emit'>
  users: UserStore
  roles: RoleStore
  people: Pick<People, 'accessOf'>
  sessions: Pick<WebSessions, 'start' | 'lifetimeOf' | 'requireUnlocked'>
  settings: Pick<ClusterSettings, 'authPreference'>
  certificates: Pick<Certificates, 'issue'>
  connectors: Connectors
}

const sweepEvery = 60_000

export function createSingleSignOn(deps: SingleSignOnDeps) {
  const { log } = deps
  const requests = createSsoRequests(deps)
  const providers = createProviders({ ...deps, takeAssertion: requests.takeAssertion })
  const tests = createConnectorTests(deps)
  const entry = createEntry({ ...deps, users: createSsoUsers(deps) })
  const sso = createSso({ ...deps, requests, providers, tests, entry })
  let sweeping = Promise.resolve()
  const timer = setInterval(() => {
    sweeping = requests
      .sweep()
      .catch((error: unknown) =>
        log.warn({ err: error }, 'expired sign-ins through providers could not be removed; the next round tries again'),
      )
  }, sweepEvery)
  timer.unref()
  return {
    sso,
    providers,
    tests,
    async [Symbol.asyncDispose](): Promise<void> {
      clearInterval(timer)
      await sweeping
    },
  }
}
