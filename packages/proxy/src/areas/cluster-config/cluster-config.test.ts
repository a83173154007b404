import * as calls from '@sallyport/wire/calls/cluster-config.ts'
import { createGithub, removeGithub } from '@sallyport/wire/calls/connectors.ts'
import { signIn } from '@sallyport/wire/calls/session.ts'
import { clusterConfigWire } from '@sallyport/wire/entities/cluster-config.ts'
import type { ClusterConfigWire } from '@sallyport/wire/entities/cluster-config.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { Answer, ApiBrowser, ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { setUpWithApp, setUpWithKey, signedIn, signInWithApp } from '@sallyport/testkit/proxy-people.ts'
import { expect, test } from 'vitest'

type Write = typeof calls.writeNetworking

async function world(settings: Parameters<typeof openProxyApi>[0] = {}) {
  await using opened = new AsyncDisposableStack()
  const api = opened.use(await openProxyApi(settings))
  const alice = await signedIn(api, 'alice')
  const disposables = opened.move()
  const read = async (call: typeof calls.readNetworking = calls.readAuthPreference): Promise<ClusterConfigWire> =>
    clusterConfigWire.parse((await alice.call(call)).body)
  const write = async (spec: Record<string, unknown>, more: { force?: boolean; revision?: string } = {}): Promise<Answer> => {
    const { revision } = (await read()).metadata
    return alice.call(calls.writeAuthPreference, { body: { spec, revision, ...more } })
  }
  return { api, alice, read, write, [Symbol.asyncDispose]: () => disposables.disposeAsync() }
}
const warningsOf = ({ body }: Answer): string[] => (body as { fields: { warnings: string[] } }).fields.warnings

test('each document tells its values and where they come from; a change is audited and in force at once', async () => {
  await using it = await world({ webIdleTimeout: '30m' })
  expect(await it.read(calls.readNetworking)).toMatchObject({
    kind: 'cluster_networking_config',
    version: 'v2',
    metadata: { name: 'cluster-networking-config', revision: '' },
    spec: { web_idle_timeout: '30m0s', client_idle_timeout: '0s' },
    sources: { web_idle_timeout: 'file', client_idle_timeout: 'default' },
    origins: { web_idle_timeout: 'the configuration' },
    canEdit: true,
  })
  const change = (call: Write, spec: Record<string, unknown>) => it.alice.call(call, { body: { spec } })
  expect(await change(calls.writeNetworking, { client_idle_timeout: '90m' })).toMatchObject({
    status: 200,
    body: { spec: { client_idle_timeout: '1h30m0s' }, sources: { client_idle_timeout: 'dynamic' } },
  })
  expect(it.api.context.settings.networking.client_idle_timeout).toBe(5_400_000)
  expect(await it.api.events('TCNET002I')).toMatchObject([
    { user: 'alice', changes: [{ field: 'client_idle_timeout', from: '0s', to: '1h30m0s' }] },
  ])
  expect(await change(calls.writeNetworking, { web_idle_timeout: '1h' })).toMatchObject({ status: 412 })
  const { revision } = (await it.read(calls.readNetworking)).metadata
  expect(await it.alice.call(calls.writeNetworking, { body: { spec: { web_idle_timeout: '1h' }, revision } })).toMatchObject({
    status: 400,
    message: 'web_idle_timeout is set by the configuration and can only be changed there',
  })
  const off = { spec: { mode: 'off' } }
  expect(warningsOf(await it.alice.call(calls.writeSessionRecording, { body: off }))).toHaveLength(1)
  expect(await it.alice.call(calls.writeSessionRecording, { body: { ...off, force: true } })).toMatchObject({ status: 200 })
  expect(await it.api.events('TCREC003I')).toHaveLength(1)
})

test('everybody may read how one signs in, without the places of files; changing takes the right', async () => {
  await using it = await world({ motd: 'hello' })
  const dan = await signedIn(it.api, 'dan')
  const answer = await dan.call(calls.readAuthPreference)
  expect(answer).toMatchObject({ status: 200, body: { canEdit: false, origins: {}, sources: { message_of_the_day: 'file' } } })
  expect(await dan.call(calls.writeAuthPreference, { body: { spec: {} } })).toMatchObject({ status: 403 })
  expect(await dan.call(calls.readNetworking)).toMatchObject({ status: 403 })
})

test('what would leave nobody who can administer is refused, with force as well', async () => {
  await using it = await world()
  for (const force of [false, true]) {
    expect(await it.write({ allow_local_auth: false }, { force })).toMatchObject({
      status: 400,
      message: expect.stringContaining('auth connector'),
    })
    expect(await it.write({ second_factor: 'webauthn' }, { force })).toMatchObject({
      status: 400,
      message: expect.stringContaining('no administrator who can sign in'),
    })
    expect(await it.write({ type: 'oidc' }, { force })).toMatchObject({ status: 400, message: 'type: there is no oidc connector' })
    expect(await it.write({ require_session_mfa: 'hardware_key' }, { force })).toMatchObject({ status: 400 })
    expect(await it.write({ require_session_mfa: true, second_factor: 'otp' }, { force })).toMatchObject({ status: 400 })
    expect(await it.write({ default_session_ttl: '0s' }, { force })).toMatchObject({ status: 400 })
  }
  expect(await it.api.events('TCAUTH001I')).toHaveLength(0)
  expect((await it.read()).metadata.revision).toBe('')
})

test('who would be locked out is named first; with force it is done', async () => {
  await using it = await world()
  const key = await setUpWithKey(it.api, 'bob')
  const { users } = it.api.context
  const bob = await users.require(key.name)
  await users.update({ ...bob, metadata: { ...bob.metadata, revision: '' }, spec: { ...bob.spec, roles: ['editor'] } })
  await setUpWithApp(it.api, 'carol')

  const refused = await it.write({ second_factor: 'webauthn' })
  expect(refused.status).toBe(400)
  expect(warningsOf(refused)).toEqual([
    'You could not sign in again yourself with what your account has.',
    'carol could not sign in again with what their account has.',
  ])
  expect((await it.write({ second_factor: 'webauthn' }, { force: true })).status).toBe(200)
  expect(await config(it.api)).toContain('"second_factor":"webauthn"')
  expect(await it.api.events('TCAUTH001I')).toMatchObject([
    { changes: expect.arrayContaining([{ field: 'second_factor', from: 'on', to: 'webauthn' }]) },
  ])
})

test('confirming every session names who has no key for it', async () => {
  await using it = await world()
  expect(warningsOf(await it.write({ require_session_mfa: true }))).toEqual([expect.stringMatching(/^alice could open no terminal/)])
})

test('a password alone is warned of, and then enough', async () => {
  await using it = await world()
  const carol = await setUpWithApp(it.api, 'carol')
  const attempt = (): Promise<Answer> =>
    it.api
      .browser()
      .trustPage()
      .call(signIn, { body: { user: 'carol', pass: carol.password, second_factor_token: '' } })
  expect((await attempt()).status).toBe(403)
  expect(warningsOf(await it.write({ second_factor: 'off' }))).toEqual([expect.stringContaining('A password alone')])
  await it.write({ second_factor: 'off' }, { force: true })
  expect((await attempt()).status).toBe(200)
})

test('a shorter session holds from the next sign-in on', async () => {
  await using it = await world()
  await it.write({ default_session_ttl: '10m' })
  const carol = await setUpWithApp(it.api, 'carol')
  const browser: ApiBrowser = await signInWithApp(it.api, carol)
  it.api.clock.advance(11 * 60_000)
  expect((await browser.call(calls.readAuthPreference)).status).toBe(403)
})

const config = async (api: ProxyApi): Promise<string> => (await api.browser().send('GET', '/web/config.js')).text

test('with a connector passwords may be given up, after a warning; then the connector stays', async () => {
  await using it = await world()
  const spec = {
    client_id: 'id',
    client_secret: 'hush',
    redirect_url: 'https://proxy.example/v1/webapi/github/callback',
    teams_to_roles: [{ organization: 'o', team: 't', roles: ['access'] }],
  }
  const content = JSON.stringify({ kind: 'github', version: 'v3', metadata: { name: 'it' }, spec })
  expect(await it.alice.call(createGithub, { body: { content } })).toMatchObject({ status: 200 })
  const remove = (): Promise<Answer> => it.alice.call(removeGithub, { params: { name: 'it' } })
  expect(warningsOf(await it.write({ allow_local_auth: false }))[0]).toContain('No local administrator')
  expect(await it.write({ allow_local_auth: false }, { force: true })).toMatchObject({ status: 200 })
  expect(await remove()).toMatchObject({ status: 400, message: expect.stringContaining('nobody could sign in') })
  expect(await it.write({})).toMatchObject({ status: 200 })
  expect(await remove()).toMatchObject({ status: 200 })
})
