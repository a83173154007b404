/**
 * Every call of the contract, probed with no session, a cookie without bearer, the bearer of another user, and a role
 * that lacks the right. A call that is added without being implemented or listed here fails.
 */
import { generateKeyPairSync } from 'node:crypto'
import { formatPublicKey } from '@sallyport/protocols/ssh/keys.ts'
import { allCalls } from '@sallyport/wire/calls/all.ts'
import { callPath } from '@sallyport/wire/call.ts'
import type { Call } from '@sallyport/wire/call.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { ApiBrowser, Answer, ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { signedIn } from '@sallyport/testkit/proxy-people.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

interface Probe {
  params?: Record<string, string>
  query?: string
  body?: unknown
  /** What somebody without any role gets; absent: 200. For calls whose right is a rule it is always the refusal. */
  withoutRole?: number
}

const cluster = { clusterId: 'sallyport' }
const recording = { ...cluster, sid: '0b8c1f6e-2d6a-4c58-9a55-3c1f6e0b8c1f' }
const server = { ...cluster, serverId: 'x', login: 'x' }
const slack = { kind: 'slack', token: 'xoxb-x' }
const publicKey = Buffer.from(formatPublicKey(generateKeyPairSync('ed25519').publicKey)).toString('base64')
const assertion = {
  id: 'AA',
  rawId: 'AA',
  type: 'public-key',
  response: { authenticatorData: 'AA', clientDataJSON: 'AA', signature: 'AA' },
}

/** Input with which each call gets past its own checks, so that what refuses is the right. */
const probes: Record<string, Probe> = {
  'accessRequests.list': {},
  'accessRequests.read': { params: { requestId: 'x' }, withoutRole: 404 },
  'accessRequests.create': { body: { roles: ['x'] }, withoutRole: 400 },
  'accessRequests.review': { params: { requestId: 'x' }, body: { state: 'APPROVED' }, withoutRole: 404 },
  'accessRequests.remove': { params: { requestId: 'x' } },
  'assistant.conversations': {},
  'assistant.createConversation': {},
  'assistant.messages': { params: { conversationId: 'x' } },
  'assistant.setTitle': { params: { conversationId: 'x' }, body: { title: 'x' } },
  'assistant.removeConversation': { params: { conversationId: 'x' } },
  'assistant.suggestTitle': { body: { message: 'x' } },
  'bootstrap.ping': {},
  'bootstrap.pingConnector': { params: { connector: 'local' } },
  'bootstrap.find': {},
  'bootstrap.motd': {},
  'bootstrap.thumbprint': {},
  'usage.precapture': { body: { event: 'tp.ui.recoveryCodesCopy.click', username: 'x' } },
  'usage.capture': { body: { event: 'tp.ui.banner.click' } },
  'usage.traces': { body: { resourceSpans: [] } },
  'devices.list': { params: cluster },
  'devices.create': { params: cluster, body: { osType: 'linux', assetTag: 'x' } },
  'devices.createToken': { params: { ...cluster, id: 'x' } },
  'devices.remove': { params: { ...cluster, id: 'x' } },
  'downloads.list': { withoutRole: 403 },
  'downloads.file': { params: { file: 'x' }, withoutRole: 403 },
  'downloads.license': {},
  'session.signIn': { body: { user: 'x', pass: 'x' }, withoutRole: 403 },
  'session.renew': { body: {} },
  'session.userStatus': {},
  'session.signOut': {},
  'certificates.finishCommandLine': { body: { user: 'x', pub_key: publicKey }, withoutRole: 403 },
  'certificates.signInCommandLine': { body: { user: 'x', pub_key: publicKey }, withoutRole: 403 },
  'certificates.exportAuthority': {},
  'certificates.exportClusterAuthority': { params: { cluster: 'sallyport' } },
  'headless.read': { params: { headless_authentication_id: 'x' }, withoutRole: 400 },
  'headless.decide': { params: { headless_authentication_id: 'x' }, body: { action: 'x' }, withoutRole: 400 },
  'mfa.beginSignIn': { body: { passwordless: true } },
  'mfa.finishSignIn': { body: { webauthnAssertionResponse: assertion }, withoutRole: 403 },
  'mfa.authenticateChallenge': {},
  'mfa.authenticateChallengePassword': { body: { pass: 'wrong' }, withoutRole: 400 },
  'mfa.registerChallenge': { params: { token: 'x' }, body: { deviceType: 'totp' }, withoutRole: 403 },
  'mfa.devices': {},
  'mfa.required': { params: cluster, body: { node: { node_name: 'x', login: 'x' } } },
  'mfa.bareRequired': { body: { node: { node_name: 'x', login: 'x' } } },
  'mfa.createPrivilegeToken': { body: {}, withoutRole: 400 },
  'mfa.addDevice': { body: { tokenId: 'x', deviceName: 'x' }, withoutRole: 403 },
  'mfa.removeDevice': { params: { token: 'x', name: 'x' }, withoutRole: 403 },
  'mfa.renameDevice': { params: { token: 'x', name: 'x' }, body: { name: 'y' }, withoutRole: 403 },
  'recovery.start': { body: { user: 'x', code: 'x', lost: 'mfa' }, withoutRole: 403 },
  'recovery.challenge': { params: { token: 'x' }, withoutRole: 403 },
  'recovery.verify': { params: { token: 'x' }, body: {}, withoutRole: 403 },
  'recovery.complete': { params: { token: 'x' }, body: {}, withoutRole: 403 },
  'recovery.devices': { params: { token: 'x' }, withoutRole: 403 },
  'recovery.codes': {},
  'recovery.createCodes': { body: { tokenId: 'x' }, withoutRole: 403 },
  'signIns.own': {},
  'signIns.endOwn': { params: { id: 'x' }, withoutRole: 404 },
  'signIns.ofUser': { params: { name: 'bob' } },
  'signIns.endOfUser': { params: { name: 'bob', id: 'x' } },
  'users.list': {},
  'users.read': { params: { name: 'bob' } },
  'users.create': { body: { name: 'eve', roles: ['access'] } },
  'users.update': { body: { name: 'bob', roles: ['access'] } },
  'users.remove': { params: { name: 'bob' } },
  'users.changePassword': { body: { old_password: 'QUFBQUFB', new_password: 'QUFBQUFB' }, withoutRole: 403 },
  'users.createUserToken': { body: { name: 'bob', type: 'invite' } },
  'users.readUserToken': { params: { tokenId: 'x' }, withoutRole: 403 },
  'users.completeUserToken': { body: { token: 'x' }, withoutRole: 400 },
  'roles.list': {},
  'roles.read': { params: { name: 'access' } },
  'roles.create': { body: { content: '' } },
  'roles.update': { params: { name: 'access' }, body: { content: '' } },
  'roles.remove': { params: { name: 'access' } },
  'roles.presets': {},
  'roles.effect': { body: { content: '' } },
  'roles.explain': { body: { user: 'bob', right: { kind: 'role', verb: 'read' } } },
  'sso.startGithub': { withoutRole: 302 },
  'sso.startOidc': { withoutRole: 302 },
  ...Object.fromEntries(
    ['Github', 'Oidc', 'Saml'].map((kind): [string, Probe] => [
      `sso.start${kind}Client`,
      { body: { connector_id: 'x', redirect_url: 'x', public_key: 'x' }, withoutRole: 403 },
    ]),
  ),
  'sso.startSaml': {},
  'sso.returnGithub': {},
  'sso.returnOidc': {},
  'sso.returnSaml': {},
  'sso.returnSamlTo': { params: { connector: 'x' } },
  'sso.samlMetadata': { params: { connector: 'x' }, withoutRole: 404 },
  'connectors.readDefault': {},
  'connectors.setDefault': { body: { type: 'local', name: '' } },
  'connectors.beginTest': { body: { content: 'x' } },
  'connectors.readTest': { params: { id: 'x' } },
  ...Object.fromEntries(
    ['oidc', 'saml', 'github'].flatMap((kind): [string, Probe][] => [
      [`${kind}.list`, {}],
      [`${kind}.create`, { body: { content: 'x' } }],
      [`${kind}.update`, { params: { name: 'x' }, body: { content: 'x' } }],
      [`${kind}.remove`, { params: { name: 'x' } }],
    ]),
  ),
  'clusterConfig.readAuthPreference': {},
  'clusterConfig.writeAuthPreference': { body: { spec: {} } },
  'clusterConfig.readNetworking': {},
  'clusterConfig.writeNetworking': { body: { spec: {} } },
  'clusterConfig.readSessionRecording': {},
  'clusterConfig.writeSessionRecording': { body: { spec: {} } },
  'alerts.list': { params: cluster },
  'databases.list': { params: cluster },
  'databases.services': { params: cluster },
  'databases.read': { params: { ...cluster, database: 'x' }, withoutRole: 404 },
  'databases.iamPolicy': { params: { ...cluster, database: 'x' }, withoutRole: 404 },
  'userGroups.list': { params: cluster },
  'integrations.list': { params: cluster },
  'integrations.create': { params: cluster, body: { name: 'x', subKind: 'aws-oidc' } },
  'integrations.read': { params: { ...cluster, name: 'x' } },
  'integrations.update': { params: { ...cluster, name: 'x' }, body: { awsoidc: { roleArn: 'x' } } },
  'integrations.remove': { params: { ...cluster, name: 'x' } },
  'integrations.awsDatabases': {
    params: { ...cluster, name: 'x' },
    body: { rdsType: 'instance', engines: ['postgres'], region: 'us-east-1' },
  },
  'integrations.awsPing': { params: { ...cluster, name: 'x' }, body: {} },
  'plugins.list': { params: cluster },
  'plugins.create': { params: cluster, body: { name: 'x', settings: slack } },
  'plugins.read': { params: { ...cluster, name: 'x' } },
  'plugins.update': { params: { ...cluster, name: 'x' }, body: { settings: slack } },
  'plugins.test': { params: cluster, body: { settings: slack, recipient: '#x' } },
  'plugins.testStored': { params: { ...cluster, name: 'x' }, body: { settings: slack, recipient: '#x' } },
  'plugins.remove': { params: { ...cluster, name: 'x' } },
  'integrations.openidConfiguration': {},
  'integrations.oidcKeys': {},
  'integrations.configureAwsOidc': {},
  'databases.create': { params: cluster, body: { name: 'x', protocol: 'postgres', uri: 'x:5432' } },
  'databases.createNamed': { params: { ...cluster, database: 'x' }, body: { name: 'x', protocol: 'postgres', uri: 'x:5432' } },
  'databases.update': { params: { ...cluster, database: 'x' }, body: {} },
  'databases.sign': { params: cluster, body: { hostname: 'x' }, withoutRole: 403 },
  'databases.bareSign': { body: { hostname: 'x' }, withoutRole: 403 },
  'clusters.list': {},
  'clusters.info': { params: cluster },
  'clusters.userContext': { params: cluster },
  'clusters.bareUserContext': {},
  'clusters.resourcesCheck': { params: cluster },
  'clusters.bareResourcesCheck': {},
  'kubernetes.list': { params: cluster },
  'kubernetes.resources': { params: cluster, query: '?kubeCluster=x', withoutRole: 404 },
  'kubernetes.pods': { params: cluster, query: '?kubeCluster=x', withoutRole: 404 },
  'desktops.list': { params: cluster },
  'desktops.get': { params: { ...cluster, desktopName: 'office' }, withoutRole: 404 },
  'desktops.active': { params: { ...cluster, desktopName: 'office' }, withoutRole: 404 },
  'desktops.services': { params: cluster },
  'nodes.list': { params: cluster },
  'events.search': { params: cluster },
  'events.searchSessions': { params: cluster },
  'diagnostics.test': { params: cluster, body: { resource_kind: 'node', resource_name: 'x' } },
  'diagnostics.read': { params: { ...cluster, id: 'x' } },
  'trustedClusters.list': {},
  'trustedClusters.states': {},
  'trustedClusters.create': { body: { content: 'x' } },
  'trustedClusters.update': { params: { name: 'x' }, body: { content: 'x' } },
  'trustedClusters.remove': { params: { name: 'x' } },
  'trustedClusters.removeLeaf': { params: { clusterName: 'x' } },
  'trustedClusters.validate': { body: { token: 'x', certificate_authorities: [] }, withoutRole: 403 },
  'join.host': {
    body: { token: 'x', host_id: recording.sid, hostname: 'x', public_key: 'x', proof: 'x' },
    withoutRole: 400,
  },
  'join.bot': { body: { token: 'x', bot: 'x', pub_key: publicKey }, withoutRole: 403 },
  'scripts.installOpenSsh': { params: { token: 'x' } },
  'scripts.enrollOpenSsh': { body: { token: 'x', hostname: 'x', port: 22, public_key: 'x' }, withoutRole: 403 },
  'locks.list': { params: cluster },
  'locks.put': { params: cluster, body: { targets: { user: 'x' } } },
  'locks.effect': { params: cluster, body: { targets: [] } },
  'locks.remove': { params: { ...cluster, uuid: 'x' } },
  'locks.mfaDevices': { params: cluster },
  'scripts.installNode': { params: { token: 'x' } },
  'scripts.installApp': { params: { token: 'x' } },
  'scripts.installDatabase': { params: { token: 'x' } },
  'scripts.installDesktop': { params: { token: 'x' } },
  'scripts.installKube': { params: { token: 'x' } },
  'desktopScripts.installDirectory': {},
  'desktopScripts.plainInstallDirectory': { params: { token: 'x' } },
  'desktopScripts.installDomainAuthority': {},
  'desktopScripts.plainInstallDomainAuthority': { params: { token: 'x' } },
  'desktopScripts.configureDomain': { params: { token: 'x' }, withoutRole: 400 },
  'desktopScripts.plainConfigureDomain': { params: { token: 'x' }, withoutRole: 400 },
  'desktopScripts.shortConfigureDomain': { params: { token: 'x' }, withoutRole: 400 },
  'scripts.agent': { params: { token: 'x', target: 'x' }, withoutRole: 403 },
  'scripts.certificatePin': {},
  'tokens.create': { body: { roles: ['Node'] } },
  'tokens.createWithLabels': { body: { roles: ['Node'] } },
  'apps.list': { params: cluster },
  'apps.resolve': { params: { fqdn: 'x' }, withoutRole: 404 },
  'apps.resolveInCluster': { params: { fqdn: 'x', clusterName: 'x' }, withoutRole: 404 },
  'apps.resolveByAddress': { params: { fqdn: 'x', clusterName: 'x', publicAddr: 'x' }, withoutRole: 404 },
  'apps.createSession': { body: { fqdn: 'x' }, withoutRole: 403 },
  'apps.keys': {},
  'tokens.list': {},
  'tokens.save': { body: { roles: ['Node'] } },
  'tokens.replace': { body: { roles: ['Node'] } },
  'tokens.saveYaml': { body: { content: '' } },
  'tokens.remove': {},
  'sessions.active': { params: cluster },
  'sessions.end': { params: recording, withoutRole: 404 },
  'sessions.removeParty': { params: { ...recording, partyId: recording.sid }, withoutRole: 404 },
  'sessions.recordingEvents': { params: recording, withoutRole: 403 },
  'sessions.recordingStream': { params: recording, withoutRole: 403 },
  'sessions.recordingLength': { params: recording, withoutRole: 403 },
  'recordings.outline': { params: recording, withoutRole: 403 },
  'recordings.keyframe': { params: recording, withoutRole: 403 },
  'recordings.export': { params: recording, withoutRole: 403 },
  'recordings.search': { params: cluster, query: '?query=x' },
  'transfer.download': { params: server, query: '?location=x&filename=x', withoutRole: 404 },
  'transfer.upload': { params: server, query: '?location=x&filename=x', body: 'x', withoutRole: 404 },
  'transfer.keptUpload': { params: { ...server, uploadId: 'x'.repeat(16) }, withoutRole: 404 },
  'transfer.dropUpload': { params: { ...server, uploadId: 'x'.repeat(16) }, withoutRole: 404 },
}

/** Rules that everybody holds by the implicit role. */
const everybody = new Set([
  'node/list',
  'app_server/list',
  'db_server/list',
  'db_server/read',
  'app_server/read',
  'kube_server/list',
  'kube_server/read',
  'ssh_session/list',
  'remote_cluster/list',
  'cluster_auth_preference/read',
  'windows_desktop/list',
  'windows_desktop/read',
  'windows_desktop_service/list',
])
const isRefusedByRule = (call: Call): boolean =>
  typeof call.allow === 'object' &&
  !call.allow.verbs.every((verb) => typeof call.allow === 'object' && everybody.has(`${call.allow.kind}/${verb}`))

let api: ProxyApi
let dan: ApiBrowser
let bobsBearer: string | undefined

beforeAll(async () => {
  api = await openProxyApi()
  dan = await signedIn(api, 'dan')
  bobsBearer = (await signedIn(api, 'bob')).bearer
})
afterAll(() => api[Symbol.asyncDispose]())

/** As dan, with a cookie and bearer of choice, in a browser (and so an address) of its own. */
function send(call: Call, change: (browser: ApiBrowser) => void): Promise<Answer> {
  const probe = probes[call.id] ?? {}
  const browser = api.browser().trustPage()
  browser.cookies.set('__Host-session', dan.sessionCookie ?? '')
  browser.bearer = dan.bearer
  change(browser)
  return browser.send(call.method, callPath(call.path, probe.params ?? {}) + (probe.query ?? ''), probe.body)
}

test('every call of the contract is implemented, and probed here', () => {
  const ids = allCalls.map(({ id }) => id).toSorted()
  expect(api.context.routes.map(({ call }) => call.id).toSorted()).toEqual(ids)
  expect(Object.keys(probes).toSorted()).toEqual(ids)
})

const closed = allCalls.filter(({ allow }) => allow !== 'public')
const open = allCalls.filter(({ allow }) => allow === 'public')

describe.each(closed.map((call) => [call.id, call] as const))('%s', (_id, call) => {
  test('no session', async () => {
    expect(await send(call, (it) => it.cookies.delete('__Host-session'))).toMatchObject({ status: 403, message: 'missing session cookie' })
  })
  test('a session cookie without a bearer', async () => {
    expect(await send(call, (it) => (it.bearer = undefined))).toMatchObject({ status: 403, message: 'need auth' })
  })
  test('the bearer of another user', async () => {
    expect(await send(call, (it) => (it.bearer = bobsBearer))).toMatchObject({ status: 403, message: 'bad bearer token' })
  })
  test('a forged session', async () => {
    const forged = Buffer.from(JSON.stringify({ user: 'dan', sid: 'f'.repeat(64) })).toString('hex')
    expect(await send(call, (it) => it.cookies.set('__Host-session', forged))).toMatchObject({ status: 403, message: 'need auth' })
  })
})
test.each(closed.filter(isRefusedByRule).map((call) => [call.id, call] as const))(
  'R6-001: %s: a user without the right',
  async (_id, call) => {
    expect(await send(call, () => {})).toMatchObject({
      status: 403,
      message: expect.stringMatching(/^access denied to perform action "\w+" on "\w+"$/),
    })
  },
)

test.each(open.map((call) => [call.id, call] as const))('%s is open to everybody, whatever bearer they send', async (id, call) => {
  for (const change of [(it: ApiBrowser) => it.cookies.delete('__Host-session'), (it: ApiBrowser) => (it.bearer = 'undefined')])
    expect((await send(call, change)).status).toBe(probes[id]?.withoutRole ?? 200)
})
// Signing out comes last: it ends the session that the others use.
test.each(
  closed
    .filter((call) => !isRefusedByRule(call))
    .toSorted((a, b) => Number(a.id === 'session.signOut') - Number(b.id === 'session.signOut'))
    .map((call) => [call.id, call] as const),
)('%s answers a user without any role as it should', async (id, call) => {
  expect((await send(call, () => {})).status).toBe(probes[id]?.withoutRole ?? 200)
})
