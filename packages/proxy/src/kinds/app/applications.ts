/** Everything about applications, wired together. */
import type { Kysely } from 'kysely'
import type { AccessService } from '../../core/access/access.ts'
import type { Audit } from '../../core/audit/audit.ts'
import { createJwtSigner } from '../../core/authorities/jwt-signer.ts'
import type { MasterKey } from '../../core/authorities/master-key.ts'
import type { Clock } from '../../core/clock.ts'
import type { OwnCluster } from '../../core/cluster/cluster.ts'
import type { ClusterSettings } from '../../core/cluster/cluster-settings.ts'
import type { Factors } from '../../core/identity/factors.ts'
import type { People } from '../../core/identity/people.ts'
import type { WebSessions } from '../../core/identity/web-sessions.ts'
import type { Log } from '../../core/log.ts'
import type { Recordings } from '../../core/recordings/recordings.ts'
import type { ChangeFeed } from '../../core/resources/change-feed.ts'
import type { ManagedKind } from '../../core/resources/managed-kinds.ts'
import { createResourceStore } from '../../core/resources/resources.ts'
import type { Route } from '../../core/route.ts'
import type { Announcements } from '../../core/served/announcements.ts'
import { managedServed } from '../../core/served/managed-served.ts'
import { openServed } from '../../core/served/served.ts'
import type { ServedDeps } from '../../core/served/served.ts'
import type { RunningSessions } from '../../core/sessions/running-sessions.ts'
import type { Site } from '../../core/site.ts'
import type { Database, Store } from '../../store/db.ts'
import { appDocumentKind, appKind } from './app.ts'
import { createAppSessions } from './app-sessions.ts'
import { createAppGate } from './gate.ts'
import type { AppGate } from './gate.ts'
import { createAppNames } from './resolve-app.ts'
import type { ServedApps } from './resolve-app.ts'
import { appRoutes } from './routes.ts'
import { createAppSessionStore } from './session-store.ts'
import { createTcpDial } from './tcp-session.ts'
import type { DialTcpApp } from './tcp-session.ts'

export interface Applications extends AsyncDisposable {
  readonly registry: Pick<ServedApps['registry'], 'get' | 'items'>
  readonly managed: ManagedKind
  readonly routes: readonly Route[]
  readonly dialTcp: DialTcpApp
  readonly gate: AppGate
  /** Whether a recording of what is asked of applications is being written here. */
  isWriting(id: string): boolean
  /** Cuts whatever is under way here. The sessions go on wherever they are used next. */
  endSessions(): Promise<void>
}

export interface ApplicationsDeps {
  db: Kysely<Database>
  listen?: Store['listen']
  keys: string
  masterKey: MasterKey
  feed: ChangeFeed
  clock: Clock
  log: Log
  site: Site
  cluster: OwnCluster
  audit: Audit
  access: AccessService
  settings: ClusterSettings
  announcements: Pick<Announcements, 'add'>
  through: ServedDeps<never, never>['through']
  runningSessions: RunningSessions
  recordings: Recordings
  people: People
  sessions: WebSessions
  factors: Factors
}

export async function openApplications(deps: ApplicationsDeps): Promise<Applications> {
  const { db, listen, keys, masterKey, feed, clock, log, site, cluster, audit, access, settings, recordings, runningSessions } = deps
  await using opened = new AsyncDisposableStack()
  const store = createResourceStore(appDocumentKind, { db, feed, clock })
  const served = await openServed(appKind, { db, ...(listen && { listen }), clock, log, store, feed, audit, through: deps.through })
  const apps = opened.use(served)
  deps.announcements.add(apps)
  const signer = createJwtSigner({ directory: keys, masterKey, authority: 'app' })
  const names = createAppNames({ apps, site, cluster })
  const chunks = new Set<string>()
  const sessions = createAppSessions({
    store: createAppSessionStore({ db, clock }),
    apps,
    sessions: deps.sessions,
    people: deps.people,
    running: runningSessions,
    signer,
    recordings,
    isRecorded: () => settings.sessionRecording.mode !== 'off',
    chunks,
    audit,
    clock,
    log,
    clusterName: cluster.name,
  })
  opened.use(sessions)
  const disposables = opened.move()
  return {
    registry: apps.registry,
    managed: managedServed(apps),
    routes: appRoutes({ cluster, apps, names, sessions, signer, settings, factors: deps.factors, access, audit }),
    dialTcp: createTcpDial({ apps, names, settings, running: runningSessions, audit, log }),
    gate: createAppGate({ site, names, sessions, log }),
    isWriting: (id) => chunks.has(id),
    endSessions: async () => sessions[Symbol.asyncDispose](),
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  }
}
