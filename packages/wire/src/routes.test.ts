import { expect, test } from 'vitest'
import { aclAreas, aclFlags, flagVerbs, noAccess } from './acl.ts'
import type { AclArea, AclFlag, UserAcl } from './acl.ts'
import { canListAgents, featureRules, launchPath, matchRoute, routePath, routes } from './routes.ts'
import type { FeatureFlag, Layout, Route } from './routes.ts'

function acl(...granted: (readonly [AclArea, ...AclFlag[]])[]): UserAcl {
  const areas = Object.fromEntries(aclAreas.map((area) => [area, { ...noAccess }])) as Record<AclArea, typeof noAccess>
  for (const [area, ...flags] of granted) for (const flag of flags) areas[area] = { ...areas[area], [flag]: true }
  return { ...areas, clipboardSharingEnabled: true, desktopSessionRecording: true, directorySharing: true }
}

test('the route table', () => {
  expect(Object.entries(routes).map(([name, route]) => `${name} ${route.pattern} | ${route.title}`)).toMatchInlineSnapshot(`
    [
      "root /web | Sallyport",
      "login /web/login | Login",
      "loginSuccess /web/msg/info/login_success | Success",
      "loginFailedLegacy /web/msg/error/login_failed | Login Failed",
      "loginFailed /web/msg/error/login | Login Failed",
      "loginFailedCallback /web/msg/error/login/callback | Login Failed",
      "loginFailedAuth /web/msg/error/login/auth | Login Failed",
      "invite /web/invite/{tokenId} | Invite",
      "inviteContinue /web/invite/{tokenId}/continue | Invite",
      "reset /web/reset/{tokenId} | Password Reset",
      "recover /web/recover/{lost} | Account Recovery",
      "resetContinue /web/reset/{tokenId}/continue | Password Reset",
      "cluster /web/cluster/{clusterId} | Cluster",
      "nodes /web/cluster/{clusterId}/nodes | Servers",
      "apps /web/cluster/{clusterId}/apps | Applications",
      "kubernetes /web/cluster/{clusterId}/kubernetes | Kubernetes",
      "databases /web/cluster/{clusterId}/databases | Databases",
      "desktops /web/cluster/{clusterId}/desktops | Desktops",
      "sessions /web/cluster/{clusterId}/sessions | Active Sessions",
      "requests /web/requests/{requestId?} | Access Requests",
      "newRequest /web/requests/new | New Access Request",
      "users /web/users | Manage Users",
      "roles /web/roles | Manage Roles",
      "sso /web/sso | Manage Auth Connectors",
      "newConnector /web/sso/new/{kind} | Manage Auth Connectors",
      "editConnector /web/sso/edit/{kind}/{name} | Manage Auth Connectors",
      "locks /web/locks | Manage Session & Identity Locks",
      "newLock /web/locks/new | Create New Lock",
      "discover /web/discover | Enroll New Resource",
      "integrations /web/integrations | Manage Integrations",
      "newIntegration /web/integrations/new/{type?} | Enroll New Integration",
      "tokens /web/tokens | Join Tokens",
      "devices /web/devices | Trusted Devices",
      "recordings /web/cluster/{clusterId}/recordings | Session Recordings",
      "audit /web/cluster/{clusterId}/audit | Audit Log",
      "clusters /web/clusters | Manage Clusters",
      "clusterDetails /web/clusters/{name} | Manage Clusters",
      "trust /web/trust | Trusted Clusters",
      "account /web/account | Account Settings",
      "accountPassword /web/account/password | Account Settings",
      "accountTwoFactor /web/account/twofactor | Account Settings",
      "support /web/support | Help & Support",
      "settings /web/settings | Settings",
      "downloads /web/downloads | Download Centre",
      "assist /web/assist/{conversationId?} | Assist",
      "console /web/cluster/{clusterId}/console | Console",
      "consoleNodes /web/cluster/{clusterId}/console/nodes | Console",
      "consoleConnect /web/cluster/{clusterId}/console/node/{serverId}/{login} | Console",
      "consoleSession /web/cluster/{clusterId}/console/session/{sid} | Console",
      "consoleDatabase /web/cluster/{clusterId}/console/db/{database} | SQL console",
      "player /web/cluster/{clusterId}/session/{sid} | Player",
      "desktop /web/cluster/{clusterId}/desktops/{desktopName}/{username} | Desktop",
      "launch /web/launch/{fqdn}/{clusterId?}/{publicAddr?}/{arn?} | Open application",
      "headless /web/headless/{requestId} | Approve sign-in",
    ]
  `)
})

const withLayout = (layout: Layout): string[] =>
  Object.values<Route>(routes)
    .filter((route) => route.layout === layout)
    .map(({ pattern }) => pattern)
    .toSorted()

test('R2-061, R2-062, R2-063, R2-064, R2-065: sign-in, its outcomes, invites, resets and recovery are public, and nothing else', () => {
  expect(withLayout('public')).toEqual([
    '/web/invite/{tokenId}',
    '/web/invite/{tokenId}/continue',
    '/web/login',
    '/web/msg/error/login',
    '/web/msg/error/login/auth',
    '/web/msg/error/login/callback',
    '/web/msg/error/login_failed',
    '/web/msg/info/login_success',
    '/web/recover/{lost}',
    '/web/reset/{tokenId}',
    '/web/reset/{tokenId}/continue',
  ])
})

test('R2-066, R2-067: headless, launcher, desktop, consoles and player are full pages; every other private route has the main layout', () => {
  expect(withLayout('full')).toEqual([
    '/web/cluster/{clusterId}/console',
    '/web/cluster/{clusterId}/console/db/{database}',
    '/web/cluster/{clusterId}/console/node/{serverId}/{login}',
    '/web/cluster/{clusterId}/console/nodes',
    '/web/cluster/{clusterId}/console/session/{sid}',
    '/web/cluster/{clusterId}/desktops/{desktopName}/{username}',
    '/web/cluster/{clusterId}/session/{sid}',
    '/web/headless/{requestId}',
    '/web/launch/{fqdn}/{clusterId?}/{publicAddr?}/{arn?}',
  ])
  const all = Object.values<Route>(routes)
  expect(withLayout('main')).toHaveLength(all.length - withLayout('public').length - withLayout('full').length)
})

test.each([
  ['R2-068', 'nodes', 'Servers', 'Resources', undefined, 'nodes'],
  ['R2-069', 'apps', 'Applications', 'Resources', undefined, 'applications'],
  ['R2-070', 'kubernetes', 'Kubernetes', 'Resources', undefined, 'kubernetes'],
  ['R2-071', 'databases', 'Databases', 'Resources', undefined, 'databases'],
  ['R2-072', 'desktops', 'Desktops', 'Resources', undefined, 'desktops'],
  ['R2-073', 'sessions', 'Active Sessions', 'Resources', undefined, 'activeSessions'],
  ['R2-074', 'users', 'Manage Users', 'Management', 'Access', 'users'],
  ['R2-075', 'roles', 'Manage Roles', 'Management', 'Access', 'roles'],
  ['R2-076', 'sso', 'Manage Auth Connectors', 'Management', 'Access', 'authConnector'],
  ['R2-077', 'locks', 'Manage Session & Identity Locks', 'Management', 'Access', 'locks'],
  ['R2-078', 'newLock', 'Create New Lock', undefined, undefined, 'newLocks'],
  ['R2-079', 'discover', 'Enroll New Resource', 'Management', 'Access', 'discover'],
  ['R2-080', 'integrations', 'Manage Integrations', 'Management', 'Access', 'integrations'],
  ['R2-081', 'newIntegration', 'Enroll New Integration', 'Management', 'Access', 'enrollIntegrations'],
  ['R2-082', 'recordings', 'Session Recordings', 'Management', 'Activity', 'recordings'],
  ['R2-083', 'audit', 'Audit Log', 'Management', 'Activity', 'audit'],
  ['R2-084', 'clusters', 'Manage Clusters', 'Management', 'Clusters', 'trustedClusters'],
  ['R2-085', 'trust', 'Trusted Clusters', 'Management', 'Clusters', 'trustedClusters'],
  ['R2-086', 'account', 'Account Settings', undefined, undefined, undefined],
  ['R2-087', 'support', 'Help & Support', undefined, undefined, undefined],
] as const)('%s: %s is %s, in %s under %s, behind %s', (_, name, title, category, section, feature) => {
  const route: Route = routes[name]
  expect([route.title, route.category, route.section, route.feature]).toEqual([title, category, section, feature])
  const nonExact = ['sso', 'newIntegration', 'clusters'].includes(name)
  expect(route.nonExact).toBe(nonExact || undefined)
})

test('R5-006: a path is accepted only when it matches a pattern exactly', () => {
  expect(matchRoute('/web/users')?.name).toBe('users')
  expect(matchRoute('/web/cluster/c/console/node/s/root')).toEqual({
    name: 'consoleConnect',
    params: { clusterId: 'c', serverId: 's', login: 'root' },
  })
  for (const path of [
    '/web/users/',
    '/web/usersx',
    '/web/users/x',
    '/webx',
    '/users',
    '/web//users',
    '/web/cluster//nodes',
    '/web/cluster/%zz/nodes',
    '',
  ])
    expect(matchRoute(path), path).toBeUndefined()
})

test('the two base routes may end in a slash, and literal segments win over parameters', () => {
  expect(matchRoute('/web/')?.name).toBe('root')
  expect(matchRoute('/web/cluster/c/')?.name).toBe('cluster')
  expect(matchRoute('/web/integrations/new')?.name).toBe('newIntegration')
  expect(matchRoute('/web/msg/error/login')?.name).toBe('loginFailed')
})

test('R5-007: building a route with a missing required parameter fails and names it', () => {
  expect(routePath('consoleConnect', { clusterId: 'c/1', serverId: 's', login: 'a b' })).toBe('/web/cluster/c%2F1/console/node/s/a%20b')
  expect(() => routePath('consoleConnect', { clusterId: 'c', serverId: '', login: 'root' })).toThrow('missing parameter "serverId"')
  // @ts-expect-error the type refuses it as well
  expect(() => routePath('nodes', {})).toThrow('missing parameter "clusterId"')
})

test('a built path matches its own route with the same parameters', () => {
  const params = { clusterId: 'ä/ö?#%', serverId: '..', login: '+&=' }
  expect(matchRoute(routePath('consoleConnect', params))).toEqual({ name: 'consoleConnect', params })
})

test('optional parameters drop their segment', () => {
  expect(routePath('assist')).toBe('/web/assist')
  expect(routePath('assist', { conversationId: 'x' })).toBe('/web/assist/x')
  for (const path of ['/web/launch/f', '/web/launch/f/c', '/web/launch/f/c/p', '/web/launch/f/c/p/a'])
    expect(matchRoute(path)?.name).toBe('launch')
  expect(matchRoute('/web/launch')).toBeUndefined()
})

test('R2-037: a launch link needs fqdn, clusterId and publicAddr', () => {
  const app = { fqdn: 'f', clusterId: 'c', publicAddr: 'p' }
  expect(launchPath(app)).toBe('/web/launch/f/c/p')
  for (const key of Object.keys(app)) expect(launchPath({ ...app, [key]: '' }), key).toBe('')
})

const dashboard = { isDashboard: true }
test('R6-038: the download centre is for a dashboard build, and for who may read the licence or list downloads', () => {
  const rights = (readsLicense: boolean, listsDownloads: boolean): UserAcl =>
    acl(...(readsLicense ? [['license', 'read'] as const] : []), ...(listsDownloads ? [['download', 'list'] as const] : []))
  for (const isDashboard of [true, false])
    for (const readsLicense of [true, false])
      for (const listsDownloads of [true, false])
        expect(featureRules.downloadCenter(rights(readsLicense, listsDownloads), { isDashboard })).toBe(
          isDashboard && (readsLicense || listsDownloads),
        )
  const others = acl(['license', 'list', 'edit', 'create', 'remove', 'use'], ['download', 'read', 'edit', 'create', 'remove', 'use'])
  expect(featureRules.downloadCenter(others, dashboard)).toBe(false)
})

test('R6-002, R6-003, R6-004, R6-005, R6-006, R6-007, R6-008, R6-009, R6-010, R6-011, R6-012, R6-016, R6-017, R6-018: each feature flag follows its rights and no others', () => {
  const needs: Record<FeatureFlag, [AclArea, ...AclFlag[]][]> = {
    nodes: [['nodes', 'list']],
    applications: [['appServers', 'list', 'read']],
    kubernetes: [['kubeServers', 'list', 'read']],
    databases: [['dbServers', 'list', 'read']],
    desktops: [['desktops', 'list', 'read']],
    activeSessions: [['activeSessions', 'list']],
    users: [['users', 'list']],
    roles: [['roles', 'list']],
    authConnector: [['authConnectors', 'list']],
    locks: [['lock', 'list']],
    newLocks: [['lock', 'create', 'edit']],
    discover: [['tokens', 'create']],
    integrations: [['integrations', 'list']],
    enrollIntegrations: [['integrations', 'create']],
    recordings: [['recordedSessions', 'list']],
    audit: [['events', 'list']],
    trustedClusters: [['trustedClusters', 'list']],
    tokens: [['tokens', 'list', 'read']],
    deviceTrust: [['deviceTrust', 'list']],
    accessRequests: [['accessRequests', 'list']],
    newAccessRequest: [['accessRequests', 'create']],
    assist: [['assist', 'list']],
    downloadCenter: [['license', 'read']],
  }
  /** Flags that other rights open as well. */
  const opensOtherwise = new Set<string>(['discover', 'integrations', 'enrollIntegrations', 'downloadCenter'])
  for (const [flag, granted] of Object.entries(needs) as [FeatureFlag, [AclArea, ...AclFlag[]][]][]) {
    expect(featureRules[flag](acl(...granted), dashboard), flag).toBe(true)
    expect(featureRules[flag](acl(), dashboard), flag).toBe(false)
    for (const [area, ...flags] of granted)
      for (const one of flags) {
        const others = aclAreas.map((name): [AclArea, ...AclFlag[]] => [name, ...aclFlags.filter((each) => name !== area || each !== one)])
        if (!opensOtherwise.has(flag)) expect(featureRules[flag](acl(...others), dashboard), `${flag} without ${one}`).toBe(false)
      }
  }
})

test('R6-032, R6-033, R6-034, R6-035, R6-036: nodes list suffices to list agents; the other kinds need list and read', () => {
  expect(canListAgents(acl(['nodes', 'list']))).toBe(true)
  for (const area of ['appServers', 'dbServers', 'kubeServers', 'desktops'] as const) {
    expect(canListAgents(acl([area, 'list', 'read'])), area).toBe(true)
    expect(canListAgents(acl([area, 'list'])), area).toBe(false)
    expect(canListAgents(acl([area, 'read'])), area).toBe(false)
  }
})

test('R6-037: discover opens by adding or by listing agents', () => {
  expect(featureRules.discover(acl(['tokens', 'create']))).toBe(true)
  expect(featureRules.discover(acl(['nodes', 'list']))).toBe(true)
  expect(featureRules.discover(acl(['tokens', 'list', 'read', 'edit', 'remove']))).toBe(false)
})

test('every permission flag names a verb', () => {
  expect(flagVerbs).toEqual({ list: 'list', read: 'read', edit: 'update', create: 'create', remove: 'delete', use: 'use' })
})
