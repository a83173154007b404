/** Every call of the contract: the one list that the server's completeness check and the probes read. */
import * as accessRequests from './access-requests.ts'
import * as alerts from './alerts.ts'
import * as apps from './apps.ts'
import * as assistant from './assistant.ts'
import * as bootstrap from './bootstrap.ts'
import * as certificates from './certificates.ts'
import * as clusterConfig from './cluster-config.ts'
import * as clusters from './clusters.ts'
import * as connectors from './connectors.ts'
import * as desktopScripts from './desktop-scripts.ts'
import * as desktops from './desktops.ts'
import * as databases from './databases.ts'
import * as devices from './devices.ts'
import * as diagnostics from './diagnostics.ts'
import * as downloads from './downloads.ts'
import * as events from './events.ts'
import * as headless from './headless.ts'
import * as integrations from './integrations.ts'
import * as join from './join.ts'
import * as kubernetes from './kubernetes.ts'
import * as locks from './locks.ts'
import * as mfa from './mfa.ts'
import * as nodes from './nodes.ts'
import * as openssh from './openssh.ts'
import * as playback from './playback.ts'
import * as plugins from './plugins.ts'
import * as recordings from './recordings.ts'
import * as recovery from './recovery.ts'
import * as roles from './roles.ts'
import * as scripts from './scripts.ts'
import * as session from './session.ts'
import * as sessions from './sessions.ts'
import * as signIns from './sign-ins.ts'
import * as sso from './sso.ts'
import * as tokens from './tokens.ts'
import * as transfer from './transfer.ts'
import * as trustedClusters from './trusted-clusters.ts'
import * as usage from './usage.ts'
import * as userGroups from './user-groups.ts'
import * as users from './users.ts'
import type { Call } from '../call.ts'

const isCall = (value: unknown): value is Call => typeof value === 'object' && value !== null && 'method' in value && 'allow' in value

export const allCalls: readonly Call[] = [
  accessRequests,
  alerts,
  bootstrap,
  clusterConfig,
  session,
  signIns,
  certificates,
  headless,
  mfa,
  recovery,
  sso,
  users,
  roles,
  clusters,
  connectors,
  desktops,
  downloads,
  nodes,
  apps,
  assistant,
  kubernetes,
  databases,
  userGroups,
  events,
  diagnostics,
  openssh,
  sessions,
  playback,
  recordings,
  locks,
  devices,
  tokens,
  join,
  scripts,
  desktopScripts,
  integrations,
  plugins,
  transfer,
  trustedClusters,
  usage,
].flatMap((area) => Object.values<unknown>(area).filter(isCall))
