import { expect, test } from 'vitest'
import { aclAreas, flagVerbs, noAccess } from './acl.ts'
import type { AclArea, AclFlag, UserAcl } from './acl.ts'
import { canListAgents, featureRules, launchPath, matchRoute, routePath, routes } from './routes.ts'
import type { FeatureFlag } from './routes.ts'

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

test('each feature flag follows its rights', () => {
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
    accessRequests: [['accessRequests', 'list']],
    newAccessRequest: [['accessRequests', 'create']],
    assist: [['assist', 'list']],
    downloadCenter: [['license', 'read']],
  }
  for (const [flag, granted] of Object.entries(needs) as [FeatureFlag, [AclArea, ...AclFlag[]][]][]) {
    expect(featureRules[flag](acl(...granted), dashboard), flag).toBe(true)
    expect(featureRules[flag](acl(), dashboard), flag).toBe(false)
    for (const [area, ...flags] of granted)
      if (flags.length > 1)
        for (const one of flags) expect(featureRules[flag](acl([area, one]), dashboard), `${flag} with ${one} alone`).toBe(false)
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
