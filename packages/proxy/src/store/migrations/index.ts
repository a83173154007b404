/** Every migration in the order in which it runs. New ones go to the end of their list. */
import { resources } from './001-resources.ts'
import { inventory } from './002-inventory.ts'
import { audit } from './003-audit.ts'
import { identity } from './010-identity.ts'
import { userAgents } from './020-user-agents.ts'
import { locks } from './022-locks.ts'
import { sso } from './040-sso.ts'
import { recovery } from './045-recovery.ts'
import { joinTokens } from './050-join-tokens.ts'
import { recordingTexts } from './060-recording-texts.ts'
import { connectionDiagnostics } from './065-connection-diagnostics.ts'
import { hosts } from './070-hosts.ts'
import { inventoryNotices } from './075-inventory-notices.ts'
import { headlessSearches } from './076-headless-searches.ts'
import { hostRoles } from './077-host-roles.ts'
import { trustedClusters } from './080-trusted-clusters.ts'
import { assumedRequests } from './083-assumed-requests.ts'
import { desktopCertificates } from './085-desktop-certificates.ts'
import { appSessions } from './091-app-sessions.ts'
import { appSessionRequests } from './092-app-session-requests.ts'
import { hostMatchers } from './107-host-matchers.ts'
import { assistant } from './110-assistant.ts'
import { plugins } from './112-plugins.ts'
import type { Migration } from './migration.ts'

export const migrations: readonly Migration[] = [
  resources,
  inventory,
  identity,
  userAgents,
  locks,
  sso,
  recovery,
  joinTokens,
  recordingTexts,
  connectionDiagnostics,
  hosts,
  inventoryNotices,
  headlessSearches,
  hostRoles,
  trustedClusters,
  assumedRequests,
  desktopCertificates,
  appSessions,
  appSessionRequests,
  hostMatchers,
  assistant,
  plugins,
]

/** The audit chain's own: with SQLite it lives in a file of its own, so that its writer never waits for another one. */
export const auditMigrations: readonly Migration[] = [audit]
