/** Connection tests through the real proxy, against the real agent and a real OpenSSH server. */
import { randomUUID } from 'node:crypto'
import { tcpRoute } from '@sallyport/proxy/core/tunnel/tunnel.ts'
import type { AuditEventWire } from '@sallyport/wire/audit/event.ts'
import type { BodyInput } from '@sallyport/wire/call.ts'
import { read as readDiagnostic, test as testConnection } from '@sallyport/wire/calls/diagnostics.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { readAuthPreference, writeAuthPreference } from '@sallyport/wire/calls/cluster-config.ts'
import { authenticateChallenge } from '@sallyport/wire/calls/mfa.ts'
import { put as putLock } from '@sallyport/wire/calls/locks.ts'
import { create as createRole } from '@sallyport/wire/calls/roles.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { withKey } from './key-holder.ts'
import { ownLogin } from './people.ts'
import { freePort } from './targets/free-port.ts'
import { whyNoProgram } from './targets/programs.ts'
import { agentHostname, createWorld, sshdHostname } from './world.ts'
import type { World } from './world.ts'

let world: World
let alice: ApiClient
beforeAll(async () => {
  world = await createWorld({ people: ['alice'] })
  alice = await world.signIn('alice')
})
afterAll(() => world[Symbol.asyncDispose]())

type Body = BodyInput<typeof testConnection>
const cluster = () => ({ clusterId: world.cluster })
const run = (body: Partial<Body>, client = alice) =>
  client.call(testConnection, {
    params: cluster(),
    body: { resource_kind: 'node', resource_name: agentHostname, ssh_principal: ownLogin, ...body },
  })
const passes = ['RBAC_NODE', 'CONNECTIVITY', 'RBAC_PRINCIPAL', 'NODE_PRINCIPAL'].map((traceType) => ({
  traceType,
  status: 'SUCCESS',
  details: expect.any(String) as string,
}))
/** The steps that passed, and the one that did not. */
const stopsAt = (traceType: string, error: string) => {
  const index = passes.findIndex((trace) => trace.traceType === traceType)
  return {
    success: false,
    message: 'failed',
    traces: [
      ...passes.slice(0, index === -1 ? 1 : index),
      { traceType, status: 'FAILED', details: expect.stringMatching(/\w{3}/) as string, error: expect.stringContaining(error) as string },
    ],
  }
}
async function audited(sid: string): Promise<AuditEventWire[]> {
  const { events } = await alice.call(searchEvents, { params: cluster(), query: { limit: 1000 } })
  return events.filter((event) => event['sid'] === sid)
}

test('R3-118, R7-053: a test of a server passes all steps, runs a command as the login, and is audited', async () => {
  for (const resource_name of [agentHostname, world.agentId]) {
    const outcome = await run({ resource_name, dial_timeout: 30_000_000_000, insecure_skip_verify: false })
    expect(outcome).toEqual({ id: expect.any(String) as string, success: true, message: 'success', traces: passes })
    expect(outcome.traces?.at(-1)?.details).toBe(`A command ran as "${ownLogin}".`)
    expect(await audited(outcome.id)).toMatchObject([
      { code: 'T3002I', event: 'exec', user: 'alice', login: ownLogin, command: 'whoami', server_id: world.agentId },
    ])
  }
})

test('R7-056: an OpenSSH server is tested the same; a login that a server does not know fails there', async () => {
  const openssh = whyNoProgram('sshd') ? [] : [sshdHostname]
  for (const resource_name of openssh) expect(await run({ resource_name })).toMatchObject({ success: true, traces: passes })
  const name = 'no-such-user'
  const spec = { allow: { logins: [name], node_labels: { '*': '*' } } }
  await alice.call(createRole, { body: { content: JSON.stringify({ kind: 'role', version: 'v6', metadata: { name: 'odd' }, spec }) } })
  const odd = await withKey(world, 'odette', ['access', 'editor', 'odd'])
  for (const resource_name of [...openssh, agentHostname]) {
    const outcome = await run({ resource_name, ssh_principal: name }, odd.client)
    expect(outcome).toMatchObject(stopsAt('NODE_PRINCIPAL', name))
    expect(await audited(outcome.id)).toMatchObject([
      { code: 'T3002E', user: 'odette', login: name, exitError: expect.any(String) as string },
    ])
  }
})

test('R7-052: the outcome can be read again by whoever asked for it, for a day', async () => {
  const outcome = await run({})
  expect(await alice.call(readDiagnostic, { params: { ...cluster(), id: outcome.id } })).toEqual(outcome)
  const other = await withKey(world, 'olga', ['access', 'editor'])
  for (const [client, id] of [
    [other.client, outcome.id],
    [alice, randomUUID()],
  ] as const)
    await expect(client.call(readDiagnostic, { params: { ...cluster(), id } })).rejects.toMatchObject({ status: 404 })
  const unnamed = await alice.fetch(`/v1/webapi/sites/${world.cluster}/diagnostics/connections`)
  expect(unnamed.status).toBe(404)
})

test('R3-119: a test that fails ends with the step that stopped it, what to do and the raw cause', async () => {
  expect(await run({ resource_name: 'nowhere' })).toMatchObject(stopsAt('RBAC_NODE', 'server "nowhere" is not registered here'))
  expect(await run({ ssh_principal: 'somebody' })).toMatchObject(stopsAt('RBAC_PRINCIPAL', 'No role allows the login "somebody"'))
  expect(await run({ ssh_principal: '' })).toMatchObject(stopsAt('RBAC_PRINCIPAL', 'access to node denied'))
  const gone = randomUUID()
  using _registration = world.proxy.dialer.register(gone, tcpRoute({ host: '127.0.0.1', port: await freePort() }))
  await world.proxy.inventory.heartbeat({ id: gone, hostname: 'gone', addr: '127.0.0.1:1', tunnel: false, labels: {} })
  for (const ssh_principal of [ownLogin, 'somebody'])
    expect(await run({ resource_name: 'gone', ssh_principal })).toMatchObject(stopsAt('CONNECTIVITY', 'does not answer'))
  await world.proxy.inventory.heartbeat({ id: randomUUID(), hostname: 'gone', addr: '127.0.0.1:2', tunnel: false, labels: {} })
  expect(await run({ resource_name: 'gone' })).toMatchObject(stopsAt('RBAC_NODE', 'ambiguous host "gone"'))
  // Hidden like one that is absent.
  const stranger = await withKey(world, 'stella', ['editor'])
  expect(await run({}, stranger.client)).toMatchObject(stopsAt('RBAC_NODE', 'is not registered here or you have no access to it'))
})

test('R7-055, R7-058: what is missing is told with 400, what cannot be tested with 501', async () => {
  const refused = (body: object) =>
    alice
      .call(testConnection, { params: cluster(), body: body as Body })
      .then(() => undefined)
      .catch((error: unknown) => error)
  expect(await refused({ resource_name: 'x' })).toMatchObject({ status: 400, message: 'missing resource_kind' })
  expect(await refused({ resource_kind: 'node' })).toMatchObject({ status: 400, message: 'missing resource_name' })
  expect(await refused({ resource_kind: 'node', resource_name: '' })).toMatchObject({ status: 400, message: 'missing resource_name' })
  expect(await refused({ resource_kind: 'node', resource_name: 'x', dial_timeout: -1 })).toMatchObject({ status: 400 })
  const groups = { resource_kind: 'kube_cluster', resource_name: 'x', kubernetes_impersonation: { kubernetes_groups: ['g'] } }
  expect(await refused(groups)).toMatchObject({ status: 400, message: expect.stringContaining('kubernetes_user') as string })
  for (const resource_kind of ['app', 'nonsense'])
    expect(await refused({ resource_kind, resource_name: 'x' })).toMatchObject({ status: 501 })
  await expect(
    alice.call(testConnection, { params: { clusterId: 'other' }, body: { resource_kind: 'node', resource_name: 'x' } }),
  ).rejects.toMatchObject({ status: 404 })
})

test('a lock on the server keeps a test out like a session', async () => {
  const node = randomUUID()
  await world.proxy.inventory.heartbeat({ id: node, hostname: 'locked', addr: '127.0.0.1:3', tunnel: false, labels: {} })
  await alice.call(putLock, { params: cluster(), body: { targets: { node }, message: 'not now' } })
  expect(await run({ resource_name: 'locked' })).toMatchObject(
    stopsAt('UNKNOWN_ERROR', `lock targeting Node:"${node}" is in force: not now`),
  )
})

test('R7-061: where sessions ask for a second factor, a test passes with it and fails without', async () => {
  const keyed = await withKey(world, 'gwen', ['access', 'editor'])
  const { revision } = (await alice.call(readAuthPreference)).metadata
  await alice.call(writeAuthPreference, { body: { spec: { require_session_mfa: true }, revision, force: true } })
  const answer = async () => {
    const { webauthn_challenge: challenge } = await keyed.client.call(authenticateChallenge)
    if (!challenge) throw new Error('no challenge for a key')
    return keyed.key.get(challenge.publicKey, { origin: world.url })
  }
  const needed = stopsAt('UNKNOWN_ERROR', 'session MFA is required')
  expect(await run({}, keyed.client)).toMatchObject(needed)
  expect(await run({ mfa_response: { totp_code: '', webauthn_response: null } })).toMatchObject(needed)
  const webauthn_response = await answer()
  expect(await run({ mfa_response: { webauthn_response } }, keyed.client)).toMatchObject({ success: true, traces: passes })
  // Each answer counts once.
  expect(await run({ mfa_response: { webauthn_response } }, keyed.client)).toMatchObject(stopsAt('UNKNOWN_ERROR', 'the key was refused'))
  expect(await run({ mfa_response: { totp_code: await world.person('alice').authenticator.code() } })).toMatchObject({ success: true })
  expect(await run({ mfa_response: { totp_code: '000000' } })).toMatchObject(stopsAt('UNKNOWN_ERROR', 'wrong one-time code'))
})
