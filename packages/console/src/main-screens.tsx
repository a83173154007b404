/** Which screen of the main layout stands at which route. */
import type { RouteName } from '@sallyport/wire/routes.ts'
import { lazyScreen } from './parts/lazy-screen.tsx'
import type { Screen } from './parts/lazy-screen.tsx'

const account = lazyScreen(async () => (await import('./screens/account/Account.tsx')).Account)
const connectors = lazyScreen(async () => (await import('./screens/connectors/Connectors.tsx')).Connectors)
const clusters = lazyScreen(async () => (await import('./screens/clusters/Clusters.tsx')).Clusters)
const home = lazyScreen(async () => (await import('./screens/root/Home.tsx')).Home)

export const mainScreens: Partial<Record<RouteName, Screen>> = {
  root: home,
  cluster: home,
  kubernetes: lazyScreen(async () => (await import('./screens/kubernetes/Kubernetes.tsx')).Kubernetes),
  nodes: lazyScreen(async () => (await import('./screens/servers/Servers.tsx')).Servers),
  apps: lazyScreen(async () => (await import('./screens/applications/Applications.tsx')).Applications),
  desktops: lazyScreen(async () => (await import('./screens/desktops/Desktops.tsx')).Desktops),
  databases: lazyScreen(async () => (await import('./screens/databases/Databases.tsx')).Databases),
  sessions: lazyScreen(async () => (await import('./screens/sessions/Sessions.tsx')).Sessions),
  requests: lazyScreen(async () => (await import('./screens/requests/Requests.tsx')).Requests),
  newRequest: lazyScreen(async () => (await import('./screens/requests/NewRequest.tsx')).NewRequest),
  users: lazyScreen(async () => (await import('./screens/users/Users.tsx')).Users),
  recordings: lazyScreen(async () => (await import('./screens/recordings/Recordings.tsx')).Recordings),
  audit: lazyScreen(async () => (await import('./screens/audit/AuditLog.tsx')).AuditLog),
  roles: lazyScreen(async () => (await import('./screens/roles/Roles.tsx')).Roles),
  sso: connectors,
  newConnector: connectors,
  editConnector: connectors,
  locks: lazyScreen(async () => (await import('./screens/locks/Locks.tsx')).Locks),
  newLock: lazyScreen(async () => (await import('./screens/locks/NewLock.tsx')).NewLock),
  tokens: lazyScreen(async () => (await import('./screens/tokens/Tokens.tsx')).Tokens),
  devices: lazyScreen(async () => (await import('./screens/devices/Devices.tsx')).Devices),
  discover: lazyScreen(async () => (await import('./screens/discover/Discover.tsx')).Discover),
  integrations: lazyScreen(async () => (await import('./screens/integrations/Integrations.tsx')).Integrations),
  newIntegration: lazyScreen(async () => (await import('./screens/integrations/EnrollIntegration.tsx')).EnrollIntegration),
  clusters,
  clusterDetails: clusters,
  trust: lazyScreen(async () => (await import('./screens/trust/TrustedClusters.tsx')).TrustedClusters),
  account,
  accountPassword: account,
  accountTwoFactor: account,
  downloads: lazyScreen(async () => (await import('./screens/downloads/Downloads.tsx')).Downloads),
  settings: lazyScreen(async () => (await import('./screens/settings/Settings.tsx')).Settings),
  assist: lazyScreen(async () => (await import('./screens/assist/Assist.tsx')).Assist),
  support: lazyScreen(async () => (await import('./screens/support/Support.tsx')).Support),
}
