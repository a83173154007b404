/** Applications that somebody may use only because of an access request: for as long as their session has assumed it. */
import { once } from 'node:events'
import * as requests from '@sallyport/wire/calls/access-requests.ts'
import { create as createRole, update as updateRole } from '@sallyport/wire/calls/roles.ts'
import { renew, signIn } from '@sallyport/wire/calls/session.ts'
import { update as updateUser } from '@sallyport/wire/calls/users.ts'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { ApiClient } from './api-client.ts'
import { addApp, AppBrowser } from './app-browser.ts'
import { passwordOf } from './people.ts'
import type { Name } from './people.ts'
import { startWebApp } from './targets/web-app.ts'
import type { WebApp } from './targets/web-app.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

let world: World
let wiki: WebApp
let alice: ApiClient
let carol: ApiClient
let dan: ApiClient
let browser: AppBrowser
beforeAll(async () => {
  world = await createWorld({ people: ['alice', 'carol', 'dan'], settings: { secondFactor: 'off' } })
  wiki = await startWebApp()
  for (const name of ['wiki', 'board']) await addApp(world, name, { uri: wiki.uri })
  alice = await signedIn('alice')
  await saveRole('reads-apps', { allow: { app_labels: { '*': '*' } } })
  await saveRole('asks', { allow: { request: { roles: ['reads-apps'] } } })
  await saveRole('decides', { allow: { review_requests: { roles: ['reads-apps'] } } })
  await alice.call(updateUser, { body: { name: 'dan', roles: ['asks'] } })
  await alice.call(updateUser, { body: { name: 'carol', roles: ['auditor', 'decides'] } })
  carol = await signedIn('carol')
})
beforeEach(async () => {
  dan = await signedIn('dan')
  browser = new AppBrowser(world.url, 'wiki.localhost')
})
afterEach(() => {
  vi.restoreAllMocks()
})
afterAll(async () => {
  await wiki[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

async function signedIn(name: Name): Promise<ApiClient> {
  const client = new ApiClient(world.url)
  await client.loadPage()
  client.bearer = (await client.call(signIn, { body: { user: name, pass: passwordOf(name) } })).token
  return client
}
const saveRole = (name: string, spec: object) =>
  alice.call(createRole, { body: { content: JSON.stringify({ kind: 'role', version: 'v6', metadata: { name }, spec }) } })

/** dan asks, carol approves, dan's session has it. */
async function assume(what: { roles: string[]; maxDuration?: string }): Promise<string> {
  const { id } = await dan.call(requests.create, { body: what })
  await carol.call(requests.review, { params: { requestId: id }, body: { state: 'APPROVED', reason: '', roles: [] } })
  dan.bearer = (await dan.call(renew, { body: { requestId: id } })).token
  return id
}
const drop = async (): Promise<void> => {
  dan.bearer = (await dan.call(renew, { body: { switchback: true } })).token
}

/** A live one. `closed` resolves with its end. */
async function openSocket(): Promise<{ closed: Promise<unknown> }> {
  const { port } = new URL(world.url)
  const headers = { host: `wiki.localhost:${port}`, cookie: browser.cookieHeader }
  const socket = new WebSocket(`ws://127.0.0.1:${port}/echo`, { headers, origin: browser.origin })
  const closed = once(socket, 'close')
  await once(socket, 'message')
  return { closed }
}
const expectOver = async (): Promise<void> => {
  expect(await browser.send('/')).toMatchObject({ status: 302, headers: { location: `${world.url}/web/launch/wiki.localhost?path=%2F` } })
}

test('an assumed role opens an application, which is told of it; the session ends when the access is dropped', async () => {
  await expect(browser.enter(dan, world.cluster)).rejects.toThrow('your roles allow')
  const id = await assume({ roles: ['reads-apps'] })
  await browser.enter(dan, world.cluster)
  const page = await browser.send('/headers')
  expect(page.status).toBe(200)
  const { rawHeaders } = JSON.parse(page.text) as { rawHeaders: string[] }
  const token = rawHeaders[rawHeaders.findIndex((name) => name.toLowerCase() === 'teleport-jwt-assertion') + 1] ?? ''
  expect(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())).toMatchObject({ roles: ['asks', 'reads-apps'] })
  // Nobody assumes it any more; whoever has keeps it.
  await alice.call(requests.remove, { params: { requestId: id } })
  const socket = await openSocket()
  await drop()
  await socket.closed
  await expectOver()
  await expect(browser.enter(dan, world.cluster)).rejects.toThrow('your roles allow')
})

test('the session ends with the time of the access, while the sign-in goes on', async () => {
  await assume({ roles: ['reads-apps'], maxDuration: new Date(Date.now() + 3_600_000).toISOString() })
  await browser.enter(dan, world.cluster)
  const socket = await openSocket()
  const real = Date.now.bind(Date)
  vi.spyOn(Date, 'now').mockImplementation(() => real() + 2 * 3_600_000)
  await socket.closed
  await expectOver()
})

test('a lock on the request ends the session', async () => {
  const id = await assume({ roles: ['reads-apps'] })
  await browser.enter(dan, world.cluster)
  const socket = await openSocket()
  await world.proxy.locks.place({ target: { access_request: id }, message: 'over' }, 'alice')
  await socket.closed
  await expectOver()
})

test('a role that is changed meanwhile counts at the next request', async () => {
  await saveRole('for-now', { allow: { app_labels: { '*': '*' } } })
  await saveRole('asks-for-now', { allow: { request: { roles: ['for-now'] } } })
  await saveRole('decides-for-now', { allow: { review_requests: { roles: ['for-now'] } } })
  await alice.call(updateUser, { body: { name: 'dan', roles: ['asks', 'asks-for-now'] } })
  await alice.call(updateUser, { body: { name: 'carol', roles: ['auditor', 'decides', 'decides-for-now'] } })
  await assume({ roles: ['for-now'] })
  await browser.enter(dan, world.cluster)
  expect((await browser.send('/')).status).toBe(200)
  const changed = { kind: 'role', version: 'v6', metadata: { name: 'for-now' }, spec: {} }
  await alice.call(updateRole, { params: { name: 'for-now' }, body: { content: JSON.stringify(changed) } })
  expect((await browser.send('/')).status).toBe(403)
})
