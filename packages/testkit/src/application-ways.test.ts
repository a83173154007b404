/** The ways to an application: through an agent, over TLS, with what its document changes, after a key confirmed it; and the end of a session. */
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { ask } from '@sallyport/cli/admin-client.ts'
import { startCompleter } from '@sallyport/proxy/core/sessions/completer.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { appSessionCookie, appSubjectCookie } from '@sallyport/wire/app-access.ts'
import { apps, createAppSession } from '@sallyport/wire/calls/apps.ts'
import { readAuthPreference, writeAuthPreference } from '@sallyport/wire/calls/cluster-config.ts'
import { authenticateChallenge } from '@sallyport/wire/calls/mfa.ts'
import { appSessionWire } from '@sallyport/wire/entities/app.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { ApiClient } from './api-client.ts'
import { addApp, AppBrowser } from './app-browser.ts'
import { withKey } from './key-holder.ts'
import { openProxyApi } from './proxy-api.ts'
import { signedIn } from './proxy-people.ts'
import { joinHost } from './targets/agent.ts'
import { makeCertificate } from './targets/certificate.ts'
import { startWebApp } from './targets/web-app.ts'
import type { WebApp } from './targets/web-app.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

let world: World
let wiki: WebApp
let bob: ApiClient
beforeAll(async () => {
  world = await createWorld({ people: ['alice', 'bob'] })
  wiki = await startWebApp()
  bob = await world.signIn('bob')
})
afterAll(async () => {
  await wiki[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

async function entered(name: string): Promise<AppBrowser> {
  const browser = new AppBrowser(world.url, `${name}.localhost`)
  await browser.enter(bob, world.cluster)
  return browser
}
const told = z.object({ rawHeaders: z.array(z.string()) })
const headersOf = (text: string): [string, string][] => {
  const { rawHeaders } = told.parse(JSON.parse(text))
  return rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] satisfies [string, string]] : []))
}
const names = async (): Promise<string[]> => (await bob.call(apps, { params: { clusterId: world.cluster } })).items.map(({ name }) => name)

test('an application that an agent announces is listed, and reached through it', async () => {
  const { token } = await ask(world.dataDir, adminCalls.addToken, { roles: ['app'], ttl: 3600 })
  await using host = await joinHost({ proxy: world.url, token, hostname: 'far-host', args: ['--app', `far=${wiki.uri}`] })
  const agent = host.start()
  await expect.poll(names).toContain('far')
  const browser = await entered('far')
  expect((await browser.send('/')).text).toContain('Team wiki')
  expect((await browser.send('/download?bytes=5000000')).text).toHaveLength(5_000_000)
  await agent.stop()
  expect((await browser.send('/')).status).toBeGreaterThanOrEqual(400)
})

test('over TLS: a certificate that nobody vouches for is refused, unless the document takes it', async () => {
  const { certFile, keyFile } = await makeCertificate(world.dataDir, { names: ['localhost'], addresses: ['127.0.0.1'] })
  await using secure = await startWebApp({ tls: { cert: await readFile(certFile, 'utf8'), key: await readFile(keyFile, 'utf8') } })
  await addApp(world, 'secure', { uri: secure.uri })
  await expect(bob.call(createAppSession, { body: { fqdn: 'secure.localhost' } })).rejects.toThrow('does not speak TLS as it should')
  await addApp(world, 'secure', { uri: secure.uri, insecure_skip_verify: true })
  const browser = await entered('secure')
  expect((await browser.send('/')).text).toContain('Team wiki')
})

test('a document sets headers, filled in for the person, and names hosts that stand for the application', async () => {
  const headers = [
    'X-Login: {{internal.logins}}',
    'Authorization: Bearer {{internal.jwt}}',
    { name: 'Host', value: 'inner.example' },
    'X-None: {{external.none}}',
  ]
  await addApp(world, 'inner', { uri: `${wiki.uri}/headers`, rewrite: { headers, redirect: ['old.example'] } })
  const browser = await entered('inner')
  expect(await browser.send('/')).toMatchObject({ status: 302, headers: { location: '/headers' } })
  const seen = headersOf((await browser.send('/headers', { headers: { authorization: 'Basic own', 'x-login': 'forged' } })).text)
  const valueOf = (name: string): string[] => seen.filter(([each]) => each.toLowerCase() === name).map(([, value]) => value)
  expect(valueOf('x-login')).toHaveLength(1)
  expect(valueOf('x-login')).not.toContain('forged')
  expect(valueOf('authorization')).toEqual([`Bearer ${valueOf('teleport-jwt-assertion')[0]}`])
  expect(valueOf('host')).toEqual(['inner.example'])
  expect(valueOf('x-none')).toEqual([])
  const moved = await browser.send(`/redirect?to=${encodeURIComponent('https://old.example/x?y#z')}`)
  expect(moved.headers.location).toBe(`${browser.origin}/x?y#z`)
})

test('R8-061: applications that are added, changed and removed are in the audit log', async () => {
  await addApp(world, 'short', { uri: wiki.uri })
  await addApp(world, 'short', { uri: wiki.uri, public_addr: 'short.example.com' })
  await ask(world.dataDir, adminCalls.removeResource, { kind: 'app', name: 'short' })
  const { events } = await world.proxy.audit.search({
    from: new Date(0),
    to: new Date(Date.now() + 60_000),
    types: ['app.create', 'app.update', 'app.delete'],
    limit: 100,
    startKey: '',
    order: 'asc',
    accepts: ({ name }) => name === 'short',
  })
  expect(events.map(({ code, user }) => [code, typeof user])).toEqual([
    ['TAP03I', 'string'],
    ['TAP04I', 'string'],
    ['TAP05I', 'string'],
  ])
})

test('where each session has to be confirmed, a key does it', async () => {
  await addApp(world, 'guarded', { uri: wiki.uri })
  const { client, key } = await withKey(world, 'kim')
  const alice = await world.signIn('alice')
  const { revision } = (await alice.call(readAuthPreference)).metadata
  await alice.call(writeAuthPreference, { body: { spec: { require_session_mfa: true }, revision, force: true } })
  const body = { fqdn: 'guarded.localhost' }
  await expect(client.call(createAppSession, { body })).rejects.toThrow('MFA required for application access')
  const { webauthn_challenge } = await client.call(authenticateChallenge)
  if (!webauthn_challenge) throw new Error('no challenge')
  const webauthn_response = key.get(webauthn_challenge.publicKey, { origin: world.url })
  const confirmed = { ...body, mfa_response: { webauthn_response } }
  expect(await client.call(createAppSession, { body: confirmed })).toMatchObject({ fqdn: 'guarded.localhost' })
  await expect(client.call(createAppSession, { body: confirmed })).rejects.toThrow('was not confirmed')
})

test('a session ends with its time; what was asked in it is kept in a sealed record', async () => {
  await using api = await openProxyApi({ sessionTtl: '1h0m0s' })
  const { context, clock } = api
  const kind = context.managedKinds.find(({ kind: name }) => name === 'app')
  await kind?.apply(
    { kind: 'app', version: 'v3', metadata: { name: 'wiki' }, spec: { uri: wiki.uri } } as unknown as Parameters<typeof kind.apply>[0],
    { force: false, by: 'test' },
  )
  const person = await signedIn(api, 'bob')
  const answer = await person.call(createAppSession, { body: { fqdn: 'wiki.localhost' } })
  const session = appSessionWire.parse(answer.body)
  const { port } = await api.app.listen({ host: '127.0.0.1', port: 0 })
  const browser = new AppBrowser(`http://127.0.0.1:${port}`, 'wiki.localhost')
  browser.cookies.set(appSessionCookie, session.cookie_value ?? '').set(appSubjectCookie, session.subject_cookie_value ?? '')
  expect((await browser.send('/headers?secret=1')).status).toBe(200)
  expect((await browser.send('/none')).status).toBe(404)
  const cut = await browser.open('/events')
  cut.on('error', () => {})
  clock.advance(3_600_001)
  expect((await browser.send('/')).status).toBe(302)
  await expect.poll(async () => (await api.events('T2011I')).length).toBe(1)
  const [chunk] = await api.events('T2008I')
  const id = String(chunk?.['session_chunk_id'])
  await expect.poll(() => context.recordings.sealed()).toEqual([id])
  await using reader = await context.recordings.read(id)
  const requests: unknown[] = []
  for await (const record of reader.records()) if (record.kind === 'event') requests.push(record.event)
  expect(requests).toMatchObject([
    { event: 'app.session.chunk', code: 'T2008I', session_chunk_id: id },
    { event: 'app.session.request', code: 'T2009I', user: 'bob', app_name: 'wiki', method: 'GET', path: '/headers', status_code: 200 },
    { event: 'app.session.request', code: 'T2009I', method: 'GET', path: '/none', status_code: 404 },
    { event: 'app.session.request', code: 'T2009I', method: 'GET', path: '/events', status_code: 200 },
  ])
  expect(JSON.stringify(requests)).not.toContain('secret')
})

test('the record of a process that was killed is completed and kept', async () => {
  await using api = await openProxyApi()
  const { recordings, audit, clock, log } = api.context
  const sid = randomUUID()
  const recorder = await recordings.create({ sid, start: clock.now(), elapsed: () => 0, onDrain: () => {}, onFailure: () => {} })
  recorder.event({ event: 'app.session.chunk', code: 'T2008I', user: 'bob', session_chunk_id: sid })
  recorder.event({ event: 'app.session.request', code: 'T2009I', user: 'bob', method: 'GET', path: '/', status_code: 200 })
  await recorder.flush()
  await recorder.close()
  await using completer = startCompleter({ audit, recordings, clock, log, isLive: () => false })
  await completer.caughtUp
  expect(await recordings.sealed()).toEqual([sid])
  expect(await api.events('T2004I')).toEqual([])
})
