/** The store: one database, and the audit chain beside it. */
import type { DatabaseSync } from 'node:sqlite'
import type { Kysely } from 'kysely'
import type pg from 'pg'
import { listenForNotices } from './change-notices.ts'
import type { NoticeChannel, NoticeHandlers, StoreLog } from './change-notices.ts'
import type { Dialect } from './dialect.ts'
import { migrate } from './migrate.ts'
import { auditMigrations, migrations } from './migrations/index.ts'
import { checkReachable, createPool, kyselyOnPostgres } from './postgres.ts'
import { aloneOnPostgres, aloneOnSqlite } from './alone.ts'
import { kyselyOnSqlite, openSqliteFile, toStoreError } from './sqlite.ts'
import type { AppSessionsTable } from './schema/app-sessions.ts'
import type { AssistantConversationsTable, AssistantMessagesTable } from './schema/assistant.ts'
import type { AuditEventsTable, AuditHeadTable } from './schema/audit-events.ts'
import type { ConnectionDiagnosticsTable } from './schema/connection-diagnostics.ts'
import type { CredentialsTable } from './schema/credentials.ts'
import type { HeadlessSearchesTable } from './schema/headless-searches.ts'
import type { DesktopCertificatesTable } from './schema/desktop-certificates.ts'
import type { HostsTable } from './schema/hosts.ts'
import type { RemoteClustersTable } from './schema/remote-clusters.ts'
import type { RootClustersTable } from './schema/root-clusters.ts'
import type { InventoryTable } from './schema/inventory.ts'
import type { JoinTokensTable } from './schema/join-tokens.ts'
import type { LockedSessionsTable } from './schema/locked-sessions.ts'
import type { LoginFailuresTable } from './schema/login-failures.ts'
import type { MfaChallengesTable } from './schema/mfa-challenges.ts'
import type { MfaDevicesTable } from './schema/mfa-devices.ts'
import type { PluginMessagesTable, PluginStatesTable } from './schema/plugins.ts'
import type { RecoveryCodesTable } from './schema/recovery-codes.ts'
import type { ResourcesTable } from './schema/resources.ts'
import type { ConnectorTestsTable, SamlAssertionsTable, SsoRequestsTable } from './schema/sso.ts'
import type { UserTokensTable } from './schema/user-tokens.ts'
import type { BearersTable, WebSessionsTable } from './schema/web-sessions.ts'

export interface Database {
  app_sessions: AppSessionsTable
  assistant_conversations: AssistantConversationsTable
  assistant_messages: AssistantMessagesTable
  plugin_messages: PluginMessagesTable
  plugin_states: PluginStatesTable
  resources: ResourcesTable
  inventory: InventoryTable
  credentials: CredentialsTable
  mfa_devices: MfaDevicesTable
  user_tokens: UserTokensTable
  join_tokens: JoinTokensTable
  web_sessions: WebSessionsTable
  bearers: BearersTable
  locked_sessions: LockedSessionsTable
  mfa_challenges: MfaChallengesTable
  login_failures: LoginFailuresTable
  sso_requests: SsoRequestsTable
  saml_assertions: SamlAssertionsTable
  connector_tests: ConnectorTestsTable
  recovery_failures: LoginFailuresTable
  recovery_codes: RecoveryCodesTable
  connection_diagnostics: ConnectionDiagnosticsTable
  desktop_certificates: DesktopCertificatesTable
  hosts: HostsTable
  remote_clusters: RemoteClustersTable
  root_clusters: RootClustersTable
  headless_searches: HeadlessSearchesTable
}

export interface AuditDatabase {
  audit_events: AuditEventsTable
  audit_head: AuditHeadTable
}

/** The audit chain: a connection of its own for the one writer, and queries for readers. */
export type AuditStore =
  | { dialect: 'sqlite'; connection: DatabaseSync; db: Kysely<AuditDatabase> }
  | { dialect: 'postgres'; pool: pg.Pool; db: Kysely<AuditDatabase> }

export interface Store extends AsyncDisposable {
  readonly dialect: Dialect
  readonly db: Kysely<Database>
  readonly audit: AuditStore
  /** Work that runs alone among all processes on the store, whichever they are; it may use the store. One that dies lets go. */
  alone<T>(work: () => Promise<T>): Promise<T>
  /** Where several processes can share the store: tells what any of them commits to resources or the inventory, and which sign-ins end. */
  readonly listen?: (channel: NoticeChannel, handlers: NoticeHandlers, log: StoreLog) => Promise<AsyncDisposable>
}

/** `file` may be `:memory:`. */
export type StoreSource = { kind: 'sqlite'; file: string } | { kind: 'postgres'; url: string }

const poolSize = 10

/** Opens the store and brings it to the newest form. Throws StoreError with a sentence for the administrator. */
export const openStore = (source: StoreSource): Promise<Store> =>
  source.kind === 'sqlite' ? openSqlite(source.file) : openPostgres(source.url)

/** `data/store.db` → `data/store-audit.db` */
const auditFileOf = (file: string): string => (file === ':memory:' ? file : file.replace(/(\.[^./\\]+)?$/, '-audit$1'))

async function openSqlite(file: string): Promise<Store> {
  const auditFile = auditFileOf(file)
  await using opened = new AsyncDisposableStack()
  const db = kyselyOnSqlite<Database>(openSqliteFile(file))
  opened.defer(() => db.destroy())
  await migrateSqlite(db, file, migrations)
  const connection = openSqliteFile(auditFile)
  const auditDb = kyselyOnSqlite<AuditDatabase>(connection)
  opened.defer(() => auditDb.destroy())
  await migrateSqlite(auditDb, auditFile, auditMigrations)
  const closing = opened.move()
  return {
    dialect: 'sqlite',
    db,
    alone: aloneOnSqlite(file),
    audit: { dialect: 'sqlite', connection, db: auditDb },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

async function migrateSqlite<DB>(db: Kysely<DB>, file: string, list: typeof migrations): Promise<void> {
  try {
    await migrate(db, 'sqlite', list)
  } catch (error) {
    throw toStoreError(file, error)
  }
}

async function openPostgres(url: string): Promise<Store> {
  await using opened = new AsyncDisposableStack()
  const pool = createPool(url, poolSize)
  const db = kyselyOnPostgres<Database>(pool)
  opened.defer(() => db.destroy())
  await checkReachable(pool, url)
  await migrate(db, 'postgres', [...migrations, ...auditMigrations])
  const writer = createPool(url, 1)
  opened.defer(() => writer.end())
  const closing = opened.move()
  return {
    dialect: 'postgres',
    db,
    alone: aloneOnPostgres(db),
    audit: { dialect: 'postgres', pool: writer, db: kyselyOnPostgres(pool) },
    listen: (channel, handlers, log) => listenForNotices(url, channel, handlers, log),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}
