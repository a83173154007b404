import { expect, test } from 'vitest'
import { toUserAcl, userAclWire } from '../acl.ts'
import { toCluster, clusterWire } from './cluster.ts'
import { listQueryWire } from './list.ts'
import { mfaDeviceWire, toMfaDevice } from './mfa.ts'
import { nodeWire, toNode } from './node.ts'
import { toRecording } from './recording.ts'
import { activeSessionWire, toActiveSession } from './session-tracker.ts'
import { remainingLifetime, sessionWire, toBearerToken } from './session.ts'
import { toUserContext, userContextWire } from './user-context.ts'
import { resourceItemsWire } from './resource-item.ts'
import { recoveryWire, toRecovery, toResetToken } from './user-token.ts'

const day = (date: Date): string => date.toISOString().slice(0, 10)

test('R3-024, R3-025, R3-026: the bearer token is read from token, expires_in (seconds) and the client clock', () => {
  const token = toBearerToken(sessionWire.parse({ type: 'Bearer', token: 'x', expires_in: 600 }), 1000)
  expect(token).toMatchObject({ accessToken: 'x', expiresIn: 600, created: 1000 })
  expect(remainingLifetime(token, 1000)).toBe(600_000)
})
test('R4-007: a session is valid while its remaining lifetime is above 0', () => {
  const token = toBearerToken(sessionWire.parse({ token: 'x', expires_in: 1 }), 0)
  expect(remainingLifetime(token, 999)).toBe(1)
  expect(remainingLifetime(token, 1000)).toBe(0)
})
test('R3-028: sessionInactiveTimeout is 0 when missing, null or text', () => {
  const read = (value: unknown) => sessionWire.parse({ token: 'x', expires_in: 1, sessionInactiveTimeout: value }).sessionInactiveTimeout
  expect([read(undefined), read(null), read('5'), read(900_000)]).toEqual([0, 0, 0, 900_000])
})

test('R3-027: sessionExpires is kept; a proxy that does not tell it signs nobody out', () => {
  const read = (value: unknown) => toBearerToken(sessionWire.parse({ token: 'x', expires_in: 1, sessionExpires: value }), 0).sessionExpires
  expect(read('2026-11-21T18:00:00Z')).toBe('2026-11-21T18:00:00Z')
  expect([read(undefined), read(null)]).toEqual(['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'])
})

test('R3-034, R3-039, R3-065, R3-066, R3-067: what a context leaves out has its default', () => {
  const context = toUserContext(
    userContextWire.parse({ userName: 'alice', userAcl: { nodes: { list: true } }, cluster: { name: 'c' } }),
    day,
  )
  expect(context.accessStrategy).toEqual({ type: 'optional', prompt: '' })
  expect(context.acl.nodes).toMatchObject({ list: true, read: false })
  expect(context.acl.roles).toEqual({ list: false, read: false, edit: false, create: false, remove: false, use: false })
  expect(context.acl).toMatchObject({ clipboardSharingEnabled: true, desktopSessionRecording: true, directorySharing: true })
  expect(toUserAcl(userAclWire.parse({ clipboard: false, desktopSessionRecording: false, directorySharing: false }))).toMatchObject({
    clipboardSharingEnabled: false,
    desktopSessionRecording: false,
    directorySharing: false,
  })
  expect(userContextWire.safeParse({ userName: 'alice', userAcl: {} }).success).toBe(false)
  expect(toUserContext(userContextWire.parse({ cluster: { name: 'c' } }), day)).toMatchObject({
    username: '',
    acl: { nodes: { list: false } },
  })
})

test('R3-084, R3-085, R3-086: a node maps siteId to clusterId and tags to labels, root first among the logins', () => {
  const node = toNode(
    nodeWire.parse({
      tunnel: true,
      id: 'n',
      siteId: 'c',
      hostname: 'h',
      addr: '',
      tags: [{ name: 'env', value: 'prod' }],
      sshLogins: ['bob', 'root'],
    }),
    'asked',
  )
  expect(node).toEqual({
    id: 'n',
    clusterId: 'c',
    hostname: 'h',
    labels: [{ name: 'env', value: 'prod' }],
    addr: '',
    tunnel: true,
    sshLogins: ['root', 'bob'],
    subKind: '',
    requiresRequest: false,
  })
  expect(toNode(nodeWire.parse({ id: 'n', sshLogins: null }), 'asked')).toMatchObject({ clusterId: 'asked', hostname: 'n', sshLogins: [] })
})

test('a session of which little is told, or something that is not known, is listed all the same', () => {
  const wire = activeSessionWire.parse({ kind: 'martian', id: 's', state: 'dreaming', parties: [{ user: 'bob' }] })
  expect(wire.state).toBeUndefined()
  expect(toActiveSession(wire, 0)).toMatchObject({ created: undefined, durationText: '', resourceName: '', parties: [{ user: 'bob' }] })
})
test('R3-087, R3-088: a cluster maps name to clusterId and has a text of its last connection', () => {
  const wire = clusterWire.parse({ name: 'c', lastConnected: '2026-11-21T10:00:00Z', status: 'online' })
  expect(toCluster(wire, day)).toEqual({
    clusterId: 'c',
    lastConnected: '2026-11-21T10:00:00Z',
    connectedText: '2026-11-21',
    status: 'online',
    url: '/web/cluster/c/',
    authVersion: '',
    nodeCount: 0,
    publicURL: '',
    proxyVersion: '',
  })
  expect(toCluster(clusterWire.parse({ name: 'c', lastConnected: '0001-01-01T00:00:00Z' }), day).connectedText).toBe('')
})

const active = (over: object) =>
  toActiveSession(
    activeSessionWire.parse({ kind: 'ssh', id: 's', created: '2026-11-21T10:00:00Z', cluster_name: 'c', ...over }),
    Date.parse('2026-11-21T10:05:00Z'),
  )

test('R3-089, R3-092: an active session has its thirteen fields, the address without port', () => {
  const session = active({
    server_addr: '10.0.0.1:3022',
    server_hostname: 'web-1',
    parties: [{ id: 'p', user: 'bob' }],
    participantModes: ['peer'],
  })
  expect(Object.keys(session)).toHaveLength(13)
  expect(session).toMatchObject({
    sid: 's',
    addr: '10.0.0.1',
    durationText: '5 minutes',
    resourceName: 'web-1',
    parties: [{ user: 'bob' }],
    participantModes: ['peer'],
  })
})
test('R3-092: whatever follows an address as its port goes, and nothing of the address itself', () => {
  const addresses = ['10.0.0.1:3022', 'web-1:22', '[::1]:3022', '::1', '2001:db8::22', '0b8c1f6e-2d6a-4c58-9a55-3c1f6e0b8c1f', '']
  expect(addresses.map((server_addr) => active({ server_addr }).addr)).toEqual([
    '10.0.0.1',
    'web-1',
    '[::1]',
    '::1',
    '2001:db8::22',
    '0b8c1f6e-2d6a-4c58-9a55-3c1f6e0b8c1f',
    '',
  ])
})
test('R3-093: the resource name follows the kind', () => {
  const names = { server_hostname: 'h', kubernetes_cluster_name: 'k', database_name: 'd', app_name: 'a', desktop_name: 'w' }
  expect(['ssh', 'k8s', 'db', 'app', 'desktop'].map((kind) => active({ kind, ...names }).resourceName)).toEqual(['h', 'k', 'd', 'a', 'w'])
})

test('R3-099: a reset token maps user, expiry and tokenId', () => {
  expect(toResetToken({ tokenId: 't', user: 'alice', expiry: 'e', qrCode: '', totpSecret: 's' })).toEqual({
    value: 't',
    username: 'alice',
    expires: 'e',
    qrCode: '',
    totpSecret: 's',
  })
})

test('R3-121: a recovery has its codes, when they were made, and whether keys must live on hardware', () => {
  const read = (answer: object) => toRecovery(recoveryWire.parse(answer))
  expect(read({ recovery: { codes: ['a', 'b'], created: '2026-01-02T00:00:00Z' }, privateKeyPolicyEnabled: true })).toEqual({
    codes: ['a', 'b'],
    createdDate: new Date('2026-01-02T00:00:00Z'),
    privateKeyPolicyEnabled: true,
  })
  expect(read({ recovery: {} })).toEqual({ codes: [], createdDate: undefined, privateKeyPolicyEnabled: false })
})

test('R3-114, R3-115, R3-116, R3-117: a device has its words, and a time of year 1 means never', () => {
  const device = { id: 'i', name: 'n', addedAt: '2026-01-02T00:00:00Z', lastUsed: '0001-01-01T00:00:00Z' }
  const words = ['TOTP', 'WebAuthn', 'U2F', 'x'].map((type) => toMfaDevice({ ...device, type }).description)
  expect(words).toEqual(['Authenticator App', 'Hardware Key', 'Hardware Key', 'unknown device'])
  expect(toMfaDevice({ ...device, type: 'TOTP' }).lastUsedDate).toBeUndefined()
  expect(toMfaDevice({ ...device, type: 'TOTP' }).registeredDate).toEqual(new Date('2026-01-02T00:00:00Z'))
  expect(toMfaDevice(mfaDeviceWire.parse({ id: 'i', name: 'n' }))).toMatchObject({ description: 'unknown device', lastUsedDate: undefined })
})

const end = (over: object) =>
  toRecording({
    event: 'session.end',
    code: 'T2004I',
    time: '2026-11-21T10:05:00Z',
    interactive: true,
    participants: ['alice', 'bob'],
    server_hostname: 'web-1',
    sid: 's',
    session_start: '2026-11-21T10:00:00Z',
    session_stop: '2026-11-21T10:05:00Z',
    ...over,
  })

test('R3-081, R3-082: a recording row of each kind', () => {
  expect(end({})).toEqual({
    duration: 300_000,
    durationText: '5 minutes',
    sid: 's',
    createdDate: new Date('2026-11-21T10:05:00Z'),
    users: 'alice, bob',
    hostname: 'web-1',
    description: 'play',
    recordingType: 'ssh',
    playable: true,
  })
  expect(end({ proto: 'kube', kubernetes_cluster: 'k', kubernetes_pod_namespace: 'n', kubernetes_pod_name: 'p' })).toMatchObject({
    hostname: 'k/n/p',
    recordingType: 'k8s',
  })
  expect(end({ code: 'TDP01I', user: 'alice', desktop_name: 'w', recorded: true })).toMatchObject({
    hostname: 'w',
    users: 'alice',
    recordingType: 'desktop',
  })
})
test("R3-083: the duration's text is rounded words, empty when a time is missing", () => {
  expect(end({ session_stop: undefined })).toMatchObject({ duration: 0, durationText: '' })
  expect(end({ session_stop: '2026-11-21T10:01:00Z' }).durationText).toBe('1 minute')
})
test("R4-031, R4-032, R4-033: descriptions 'play', 'non-interactive' and 'recording disabled'", () => {
  expect(end({}).description).toBe('play')
  expect(end({ interactive: false }).description).toBe('non-interactive')
  expect(end({ session_recording: 'off' }).description).toBe('recording disabled')
})
test('R4-034: playable only when interactive and recording is not off', () => {
  const playable = [true, false].flatMap((interactive) =>
    ['node', 'off'].map((session_recording) => end({ interactive, session_recording }).playable),
  )
  expect(playable).toEqual([true, false, false, false])
})
test('R4-035: desktop sessions are playable when recorded', () => {
  expect(end({ code: 'TDP01I', recorded: true }).playable).toBe(true)
  expect(end({ code: 'TDP01I', recorded: false, interactive: true })).toMatchObject({ playable: false, description: 'recording disabled' })
})

test('R3-094: resources are a list with id, kind, name and content, in each form that peers send', () => {
  const role = { id: 'role:a', kind: 'role', name: 'a', content: 'kind: role' }
  for (const answer of [[role], [{ ...role, description: null, object: {} }], { items: [role], startKey: '' }, { connectors: [role] }])
    expect(resourceItemsWire.parse(answer)).toMatchObject([role])
  expect([null, { items: null }, {}].map((answer) => resourceItemsWire.parse(answer))).toEqual([[], [], []])
})

test('a page of databases can be asked for one by one', () => {
  const query = Array.from({ length: 100 }, () => `resource.spec.aws.rds.resource_id == "db-${'A'.repeat(26)}"`).join(' || ')
  expect(listQueryWire.safeParse({ query }).success).toBe(true)
})
test('a list limit is clamped to 1000, and text or a negative number is refused', () => {
  const limit = (value: unknown) => listQueryWire.safeParse({ limit: value })
  expect([undefined, '', 'undefined', '0', '5000', '15'].map((value) => limit(value).data?.limit)).toEqual([
    1000, 1000, 1000, 1000, 1000, 15,
  ])
  expect(limit('x').error?.issues[0]?.message).toBe('failed to parse limit as limit: x')
  for (const value of ['-1', ' 3', '0x10', '1e2', '1.5', '99999999999']) expect(limit(value).success, value).toBe(false)
})
