/**
 * Every screen route of the console (specification section 2): its pattern, who may see it and where it stands.
 * `{name}` is a parameter, `{name?}` an optional one, and only at the end; a pattern matches a path exactly.
 */
import type { UserAcl } from './acl.ts'
import type { ClientConfig } from './config.ts'

export type Category = 'Resources' | 'Management'
export type Section = 'Access' | 'Activity' | 'Billing' | 'Clusters'
export type Layout = 'public' | 'main' | 'full'

export interface Route {
  pattern: string
  layout: Layout
  /** Document title; cluster-scoped pages put `{clusterId} • ` in front. */
  title: string
  category?: Category
  section?: Section
  /** Name of the feature flag that guards the page; absent means every signed-in user (or everyone, when public). */
  feature?: FeatureFlag
  /** Child paths belong to the page as well; each child that exists is a pattern of its own. */
  nonExact?: true
  /** Entry of the user menu instead of the side navigation. */
  topMenu?: true
  /** Stands in the bar above every screen. */
  topNav?: true
  /** The pattern is a base of others: its address may end in a slash. */
  base?: true
}

const route = <const T extends Record<string, Route>>(routes: T): T => routes

/** The flags of specification section 6, from the access areas. */
export const featureRules = {
  nodes: (acl) => acl.nodes.list,
  applications: (acl) => acl.appServers.list && acl.appServers.read,
  kubernetes: (acl) => acl.kubeServers.list && acl.kubeServers.read,
  databases: (acl) => acl.dbServers.list && acl.dbServers.read,
  desktops: (acl) => acl.desktops.list && acl.desktops.read,
  activeSessions: (acl) => acl.activeSessions.list,
  users: (acl) => acl.users.list,
  roles: (acl) => acl.roles.list,
  authConnector: (acl) => acl.authConnectors.list,
  locks: (acl) => acl.lock.list,
  newLocks: (acl) => acl.lock.create && acl.lock.edit,
  deviceTrust: (acl) => acl.deviceTrust.list,
  discover: (acl) => acl.tokens.create || canListAgents(acl),
  integrations: (acl) => acl.integrations.list || acl.plugins.list,
  enrollIntegrations: (acl) => acl.integrations.create || acl.plugins.create,
  recordings: (acl) => acl.recordedSessions.list,
  audit: (acl) => acl.events.list,
  trustedClusters: (acl) => acl.trustedClusters.list,
  tokens: (acl) => acl.tokens.list && acl.tokens.read,
  accessRequests: (acl) => acl.accessRequests.list,
  newAccessRequest: (acl) => acl.accessRequests.create,
  assist: (acl) => acl.assist.list,
  downloadCenter: (acl, { isDashboard }) => isDashboard && (acl.license.read || acl.download.list),
} as const satisfies Record<string, (acl: UserAcl, config: Pick<ClientConfig, 'isDashboard'>) => boolean>
export type FeatureFlag = keyof typeof featureRules

export function canListAgents(acl: UserAcl): boolean {
  const both = (area: { list: boolean; read: boolean }): boolean => area.list && area.read
  return acl.nodes.list || both(acl.appServers) || both(acl.dbServers) || both(acl.kubeServers) || both(acl.desktops)
}

const scoped = '/web/cluster/{clusterId}'

export const routes = route({
  root: { pattern: '/web', layout: 'main', title: 'Sallyport', base: true },
  login: { pattern: '/web/login', layout: 'public', title: 'Login' },
  loginSuccess: { pattern: '/web/msg/info/login_success', layout: 'public', title: 'Success' },
  loginFailedLegacy: { pattern: '/web/msg/error/login_failed', layout: 'public', title: 'Login Failed' },
  loginFailed: { pattern: '/web/msg/error/login', layout: 'public', title: 'Login Failed' },
  loginFailedCallback: { pattern: '/web/msg/error/login/callback', layout: 'public', title: 'Login Failed' },
  loginFailedAuth: { pattern: '/web/msg/error/login/auth', layout: 'public', title: 'Login Failed' },
  invite: { pattern: '/web/invite/{tokenId}', layout: 'public', title: 'Invite' },
  inviteContinue: { pattern: '/web/invite/{tokenId}/continue', layout: 'public', title: 'Invite' },
  reset: { pattern: '/web/reset/{tokenId}', layout: 'public', title: 'Password Reset' },
  recover: { pattern: '/web/recover/{lost}', layout: 'public', title: 'Account Recovery' },
  resetContinue: { pattern: '/web/reset/{tokenId}/continue', layout: 'public', title: 'Password Reset' },

  cluster: { pattern: scoped, layout: 'main', title: 'Cluster', base: true },
  nodes: { pattern: `${scoped}/nodes`, layout: 'main', title: 'Servers', category: 'Resources', feature: 'nodes' },
  apps: { pattern: `${scoped}/apps`, layout: 'main', title: 'Applications', category: 'Resources', feature: 'applications' },
  kubernetes: { pattern: `${scoped}/kubernetes`, layout: 'main', title: 'Kubernetes', category: 'Resources', feature: 'kubernetes' },
  databases: { pattern: `${scoped}/databases`, layout: 'main', title: 'Databases', category: 'Resources', feature: 'databases' },
  desktops: { pattern: `${scoped}/desktops`, layout: 'main', title: 'Desktops', category: 'Resources', feature: 'desktops' },
  sessions: { pattern: `${scoped}/sessions`, layout: 'main', title: 'Active Sessions', category: 'Resources', feature: 'activeSessions' },

  requests: {
    pattern: '/web/requests/{requestId?}',
    layout: 'main',
    title: 'Access Requests',
    category: 'Resources',
    feature: 'accessRequests',
  },
  newRequest: { pattern: '/web/requests/new', layout: 'main', title: 'New Access Request', feature: 'newAccessRequest' },

  users: { pattern: '/web/users', layout: 'main', title: 'Manage Users', category: 'Management', section: 'Access', feature: 'users' },
  roles: { pattern: '/web/roles', layout: 'main', title: 'Manage Roles', category: 'Management', section: 'Access', feature: 'roles' },
  sso: {
    pattern: '/web/sso',
    layout: 'main',
    title: 'Manage Auth Connectors',
    category: 'Management',
    section: 'Access',
    feature: 'authConnector',
    nonExact: true,
  },
  newConnector: { pattern: '/web/sso/new/{kind}', layout: 'main', title: 'Manage Auth Connectors', feature: 'authConnector' },
  editConnector: { pattern: '/web/sso/edit/{kind}/{name}', layout: 'main', title: 'Manage Auth Connectors', feature: 'authConnector' },
  locks: {
    pattern: '/web/locks',
    layout: 'main',
    title: 'Manage Session & Identity Locks',
    category: 'Management',
    section: 'Access',
    feature: 'locks',
  },
  newLock: { pattern: '/web/locks/new', layout: 'main', title: 'Create New Lock', feature: 'newLocks' },
  discover: {
    pattern: '/web/discover',
    layout: 'main',
    title: 'Enroll New Resource',
    category: 'Management',
    section: 'Access',
    feature: 'discover',
  },
  integrations: {
    pattern: '/web/integrations',
    layout: 'main',
    title: 'Manage Integrations',
    category: 'Management',
    section: 'Access',
    feature: 'integrations',
  },
  newIntegration: {
    pattern: '/web/integrations/new/{type?}',
    layout: 'main',
    title: 'Enroll New Integration',
    category: 'Management',
    section: 'Access',
    feature: 'enrollIntegrations',
    nonExact: true,
  },
  tokens: {
    pattern: '/web/tokens',
    layout: 'main',
    title: 'Join Tokens',
    category: 'Management',
    section: 'Access',
    feature: 'tokens',
  },
  devices: {
    pattern: '/web/devices',
    layout: 'main',
    title: 'Trusted Devices',
    category: 'Management',
    section: 'Access',
    feature: 'deviceTrust',
  },
  recordings: {
    pattern: `${scoped}/recordings`,
    layout: 'main',
    title: 'Session Recordings',
    category: 'Management',
    section: 'Activity',
    feature: 'recordings',
  },
  audit: { pattern: `${scoped}/audit`, layout: 'main', title: 'Audit Log', category: 'Management', section: 'Activity', feature: 'audit' },
  clusters: {
    pattern: '/web/clusters',
    layout: 'main',
    title: 'Manage Clusters',
    category: 'Management',
    section: 'Clusters',
    feature: 'trustedClusters',
    nonExact: true,
  },
  clusterDetails: { pattern: '/web/clusters/{name}', layout: 'main', title: 'Manage Clusters', feature: 'trustedClusters' },
  trust: {
    pattern: '/web/trust',
    layout: 'main',
    title: 'Trusted Clusters',
    category: 'Management',
    section: 'Clusters',
    feature: 'trustedClusters',
  },

  account: { pattern: '/web/account', layout: 'main', title: 'Account Settings', topMenu: true },
  accountPassword: { pattern: '/web/account/password', layout: 'main', title: 'Account Settings' },
  accountTwoFactor: { pattern: '/web/account/twofactor', layout: 'main', title: 'Account Settings' },
  support: { pattern: '/web/support', layout: 'main', title: 'Help & Support', topMenu: true },
  settings: { pattern: '/web/settings', layout: 'main', title: 'Settings', topMenu: true },
  downloads: { pattern: '/web/downloads', layout: 'main', title: 'Download Centre', topMenu: true, feature: 'downloadCenter' },
  assist: { pattern: '/web/assist/{conversationId?}', layout: 'main', title: 'Assist', topNav: true, feature: 'assist' },

  console: { pattern: `${scoped}/console`, layout: 'full', title: 'Console' },
  consoleNodes: { pattern: `${scoped}/console/nodes`, layout: 'full', title: 'Console' },
  consoleConnect: { pattern: `${scoped}/console/node/{serverId}/{login}`, layout: 'full', title: 'Console' },
  consoleSession: { pattern: `${scoped}/console/session/{sid}`, layout: 'full', title: 'Console' },
  consoleDatabase: { pattern: `${scoped}/console/db/{database}`, layout: 'full', title: 'SQL console' },
  player: { pattern: `${scoped}/session/{sid}`, layout: 'full', title: 'Player' },
  desktop: { pattern: `${scoped}/desktops/{desktopName}/{username}`, layout: 'full', title: 'Desktop' },
  launch: { pattern: '/web/launch/{fqdn}/{clusterId?}/{publicAddr?}/{arn?}', layout: 'full', title: 'Open application' },
  headless: { pattern: '/web/headless/{requestId}', layout: 'full', title: 'Approve sign-in' },
})
export type RouteName = keyof typeof routes

type ParamNames<P extends string> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | ParamNames<Rest> : never
type Required_<N extends string> = N extends `${string}?` ? never : N
type Optional_<N extends string> = N extends `${infer Name}?` ? Name : never
type Names<R extends RouteName> = ParamNames<(typeof routes)[R]['pattern']>
export type RouteParams<R extends RouteName> = { [K in Required_<Names<R>>]: string } & { [K in Optional_<Names<R>>]?: string }

/**
 * The address of a route. Every value is percent-encoded once; optional parameters that are missing drop their
 * segment, and with it all that follow. Throws naming the parameter when a required one is missing or empty.
 */
export function routePath<R extends RouteName>(
  name: R,
  ...[params]: Record<never, never> extends RouteParams<R> ? [RouteParams<R>?] : [RouteParams<R>]
): string {
  const values = new Map(Object.entries<string | undefined>(params ?? {}))
  const segments: string[] = []
  for (const segment of routes[name].pattern.split('/')) {
    const match = /^\{(\w+)(\?)?\}$/.exec(segment)
    if (!match) {
      segments.push(segment)
      continue
    }
    const [, parameter = '', optional] = match
    const value = values.get(parameter)
    if (value === undefined || value === '') {
      if (optional) break
      throw new Error(`missing parameter "${parameter}" of route "${name}"`)
    }
    segments.push(encodeURIComponent(value))
  }
  return segments.join('/')
}

export interface RouteMatch {
  name: RouteName
  params: Record<string, string>
}

const compiled = Object.entries<Route>(routes).map(([name, { pattern, base }]) => ({
  name: name as RouteName,
  base: base === true,
  segments: pattern
    .split('/')
    .slice(1)
    .map((segment) => {
      const match = /^\{(\w+)(\?)?\}$/.exec(segment)
      return match ? { parameter: match[1] ?? '', optional: match[2] === '?' } : { literal: segment }
    }),
}))

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined // not percent-encoding: no route of ours
  }
}

/** The route that a path (without search) is, or undefined. Where several patterns fit, the one with more literal segments wins. */
export function matchRoute(path: string): RouteMatch | undefined {
  let best: (RouteMatch & { literals: number }) | undefined
  for (const { name, segments, base } of compiled) {
    const parts = (base ? path.replace(/\/$/, '') : path).split('/').slice(1)
    const required = segments.filter((segment) => !('optional' in segment && segment.optional)).length
    if (parts.length < required || parts.length > segments.length) continue
    const params: Record<string, string> = {}
    let literals = 0
    const fits = parts.every((part, index) => {
      const segment = segments[index]
      if (segment === undefined) return false
      if ('literal' in segment) {
        literals += 1
        return segment.literal === part
      }
      const value = decoded(part)
      if (value === undefined || value === '') return false
      params[segment.parameter] = value
      return true
    })
    if (fits && (best === undefined || literals > best.literals)) best = { name, params, literals }
  }
  return best && { name: best.name, params: best.params }
}

/** Paths that the server handles itself: navigating there loads a page instead of a screen. */
export const serverRoutePattern = /^\/v1\/webapi\/(oidc|saml|github)\//

/** An application's launch link; empty unless fqdn, clusterId and publicAddr are all given. */
export function launchPath(app: { fqdn?: string; clusterId?: string; publicAddr?: string; arn?: string }): string {
  if (!app.fqdn || !app.clusterId || !app.publicAddr) return ''
  return routePath('launch', { fqdn: app.fqdn, clusterId: app.clusterId, publicAddr: app.publicAddr, ...(app.arn ? { arn: app.arn } : {}) })
}
