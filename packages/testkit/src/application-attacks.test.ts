/** What hostile browsers, pages and applications try on the way to an application. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { ask } from '@sallyport/cli/admin-client.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { appAuthPath, appSessionCookie, appSubjectCookie } from '@sallyport/wire/app-access.ts'
import { createAppSession, resolveApp, resolveAppByAddress, resolveAppInCluster } from '@sallyport/wire/calls/apps.ts'
import * as locks from '@sallyport/wire/calls/locks.ts'
import { activeSessions, endSession } from '@sallyport/wire/calls/sessions.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { addApp, AppBrowser } from './app-browser.ts'
import { startWebApp } from './targets/web-app.ts'
import type { WebApp } from './targets/web-app.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

let world: World
let wiki: WebApp
let bob: ApiClient
let alice: ApiClient

beforeAll(async () => {
  world = await createWorld({ people: ['alice', 'bob', 'dan'] })
  wiki = await startWebApp()
  for (const name of ['wiki', 'payroll']) await addApp(world, name, { uri: wiki.uri })
  ;[bob, alice] = await Promise.all([world.signIn('bob'), world.signIn('alice')])
})
afterAll(async () => {
  await wiki[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

async function entered(host = 'wiki.localhost', client = bob): Promise<AppBrowser> {
  const browser = new AppBrowser(world.url, host)
  await browser.enter(client, world.cluster)
  return browser
}
const eventsOf = async (type: string) =>
  (
    await world.proxy.audit.search({
      from: new Date(0),
      to: new Date(Date.now() + 60_000),
      types: [type],
      limit: 100,
      startKey: '',
      order: 'asc',
    })
  ).events
const refused = { status: 302, headers: { location: expect.stringContaining('/web/launch/') } }

test('R7-083, R7-084: what a link means', async () => {
  expect(await bob.call(resolveApp, { params: { fqdn: 'WIKI.localhost' } })).toEqual({ fqdn: 'wiki.localhost' })
  expect(await bob.call(resolveAppInCluster, { params: { fqdn: 'wiki.localhost', clusterName: world.cluster } })).toEqual({
    fqdn: 'wiki.localhost',
  })
  const exact = { fqdn: 'x', clusterName: world.cluster, publicAddr: 'wiki.localhost' }
  expect(await bob.call(resolveAppByAddress, { params: exact })).toEqual({ fqdn: 'wiki.localhost' })
  for (const fqdn of ['nothing.localhost', 'localhost', '127.0.0.1', 'wiki.localhost.evil.example'])
    await expect(bob.call(resolveApp, { params: { fqdn } })).rejects.toThrow(`unable to resolve FQDN: ${fqdn}`)
  await expect(bob.call(resolveAppByAddress, { params: { ...exact, clusterName: 'other' } })).rejects.toMatchObject({ status: 404 })
  const dan = await world.signIn('dan')
  await expect(dan.call(resolveApp, { params: { fqdn: 'wiki.localhost' } })).rejects.toMatchObject({ status: 404 })
})

test('R7-082: a session for whoever may use the application, and for nobody else', async () => {
  const body = { fqdn: 'wiki.localhost', cluster_name: world.cluster, public_addr: 'wiki.localhost' }
  const session = await bob.call(createAppSession, { body: { ...body, arn: '' } })
  expect(session).toEqual({
    fqdn: 'wiki.localhost',
    cookie_value: expect.stringMatching(/^[0-9a-f]{64}$/),
    subject_cookie_value: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  const dan = await world.signIn('dan')
  await expect(dan.call(createAppSession, { body })).rejects.toMatchObject({ status: 403 })
  await expect(bob.call(createAppSession, { body: { ...body, public_addr: 'none.localhost' } })).rejects.toMatchObject({ status: 403 })
})

test('a session opens the application that it was made for, and its id alone opens nothing', async () => {
  const browser = await entered()
  const thief = new AppBrowser(world.url, 'payroll.localhost')
  for (const [name, value] of browser.cookies) thief.cookies.set(name, value)
  expect((await thief.send('/')).status).toBe(403)
  const [event] = (await eventsOf('auth')).slice(-1)
  expect(event).toMatchObject({ code: 'T3007W', user: 'bob', success: false })
  const half = new AppBrowser(world.url, 'wiki.localhost')
  half.cookies.set(appSessionCookie, browser.cookies.get(appSessionCookie) ?? '')
  expect(await half.send('/')).toMatchObject(refused)
  half.cookies.set(appSubjectCookie, 'f'.repeat(64))
  expect((await half.send('/')).status).toBe(403)
  expect((await browser.send('/')).status).toBe(200)
})

test('a session that somebody else made signs nobody in: the state belongs to one browser', async () => {
  const attacker = new AppBrowser(world.url, 'wiki.localhost')
  const asked = await attacker.send(`${appAuthPath}?path=/`)
  expect(asked.headers).toMatchObject({ 'strict-transport-security': 'max-age=31536000; includeSubDomains' })
  const state_value = new URL(asked.headers.location ?? '').searchParams.get('state')
  const session = await alice.call(createAppSession, { body: { fqdn: 'wiki.localhost' } })
  const proof = { state_value, cookie_value: session.cookie_value, subject_cookie_value: session.subject_cookie_value }
  const victim = new AppBrowser(world.url, 'wiki.localhost')
  expect(await victim.prove(proof)).toMatchObject({ status: 403, setCookies: [] })
  expect(await attacker.prove(proof, { origin: 'https://evil.example' })).toMatchObject({ status: 403, setCookies: [] })
  expect(await attacker.prove({ ...proof, subject_cookie_value: 'f'.repeat(64) })).toMatchObject({ status: 403, setCookies: [] })
  expect(await attacker.prove({ ...proof, state_value: 'x' })).toMatchObject({ status: 400, setCookies: [] })
  const form = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: JSON.stringify(proof) }
  expect(await attacker.send(appAuthPath, form)).toMatchObject({ status: 400, setCookies: [] })
  const taken = await attacker.prove(proof)
  expect(taken.setCookies).toEqual([
    `${appSessionCookie}=${session.cookie_value}; Path=/; HttpOnly; Secure; SameSite=None`,
    `${appSubjectCookie}=${session.subject_cookie_value}; Path=/; HttpOnly; Secure; SameSite=None`,
    expect.stringMatching(/^__Host-grv_app_auth_state_[0-9a-f]{32}=; .*Max-Age=0$/),
  ])
  // Once.
  expect((await attacker.prove(proof)).status).toBe(403)
})

test('the way in leads to the console and to paths of the application, nowhere else', async () => {
  const browser = new AppBrowser(world.url, 'wiki.localhost')
  for (const path of ['https://evil.example/', '//evil.example', '/\\evil.example', '\t//evil.example', '/.//evil.example']) {
    const asked = await browser.send(`${appAuthPath}?path=${encodeURIComponent(path)}`)
    const location = new URL(asked.headers.location ?? '')
    expect(location.origin).toBe(world.url)
    expect(location.searchParams.get('path')).toMatch(/^\/[^/\\]/)
    const page = await browser.send(`${appAuthPath}?state=x&path=${encodeURIComponent(path)}`)
    const [, target = ''] = /location\.replace\("([^"]*)"\)/.exec(page.text) ?? []
    expect(new URL(target, browser.origin).origin).toBe(browser.origin)
  }
  const page = await browser.send(`${appAuthPath}?state=x&path=${encodeURIComponent('/</script><script>alert(1)</script>')}`)
  expect(page.text.match(/<script/g)).toHaveLength(1)
  expect(page.headers['content-security-policy']).toMatch(
    /^default-src 'none'; script-src 'nonce-[0-9a-f]{32}'; connect-src 'self'; frame-ancestors 'none'/,
  )
  const deep = await browser.send('/a/b?c=%2F&d')
  expect(new URL(deep.headers.location ?? '').searchParams.get('path')).toBe('/a/b?c=%2F&d')
  expect(await browser.send('/data', { headers: { 'sec-fetch-mode': 'cors' } })).toMatchObject({ status: 403 })
})

/** Bytes as they are, and all that comes back. */
async function raw(bytes: string): Promise<string> {
  const socket = connect(Number(new URL(world.url).port), '127.0.0.1')
  socket.write(bytes)
  return text(socket)
}

test('requests that two servers would read differently are refused', async () => {
  const browser = await entered()
  const head = (host: string, more: string): string =>
    `POST /digest HTTP/1.1\r\nHost: ${host}\r\nCookie: ${browser.cookieHeader}\r\nConnection: close\r\n${more}\r\n`
  const smuggled = '0\r\n\r\nGET /web HTTP/1.1\r\nHost: localhost\r\n\r\n'
  const { host } = browser
  expect(await raw(head(host, 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n') + smuggled)).toMatch(/^HTTP\/1\.1 400 /)
  expect(await raw(head(host, 'Content-Length: 5\r\nContent-Length: 6\r\n') + smuggled)).toMatch(/^HTTP\/1\.1 400 /)
  expect(await raw(head(host, 'Transfer-Encoding: xchunked\r\n') + smuggled)).toMatch(/^HTTP\/1\.1 400 /)
  expect(await raw(head(host, 'Transfer-Encoding : chunked\r\n') + smuggled)).toMatch(/^HTTP\/1\.1 400 /)
  expect(await raw(`GET http://payroll.localhost/ HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 /)
  // What follows a request is a request of its own, and its own host decides about it.
  const next = 'GET /headers HTTP/1.1\r\nHost: other.localhost\r\nConnection: close\r\n\r\n'
  const chunked = head(host, 'Transfer-Encoding: chunked\r\n').replace('Connection: close\r\n', '')
  const answer = await raw(`${chunked}5\r\nhello\r\n0\r\n\r\n${next}`)
  expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 302'])
  expect(answer).toContain('"length":5')
})

test('a host name decides, whatever else it says: the console is on its own only', async () => {
  const browser = await entered()
  const get = (host: string): Promise<string> =>
    raw(`GET /web HTTP/1.1\r\nHost: ${host}\r\nCookie: ${browser.cookieHeader}\r\nConnection: close\r\n\r\n`)
  expect(await get('WIKI.LOCALHOST.:1')).toContain('no such page')
  expect(await get('localhost')).toContain('<!doctype html>')
  expect(await get('wiki.localhost@evil.example')).not.toContain('no such page')
  // A session of another application.
  expect(await get('other.localhost')).toMatch(/^HTTP\/1\.1 403 /)
  for (const addr of ['localhost', '127.0.0.1', 'a_b.example', 'x.example:80'])
    await expect(addApp(world, 'taken', { uri: wiki.uri, public_addr: addr })).rejects.toThrow('public_addr')
  await expect(addApp(world, 'Not_A_Label', { uri: wiki.uri })).rejects.toThrow('lowercase letters')
  await expect(addApp(world, 'taken', { uri: 'http://user:secret@127.0.0.1/' })).rejects.toThrow('no user name and no password')
  const headers = [{ name: 'X-Forwarded-For', value: '1.1.1.1' }]
  await expect(addApp(world, 'taken', { uri: wiki.uri, rewrite: { headers } })).rejects.toThrow('leave it out')
})

test('paths reach the application as they are: none leads out of it', async () => {
  const browser = await entered()
  const { text: seen } = await browser.send('/headers')
  expect(JSON.parse(seen)).toMatchObject({ url: '/headers' })
  for (const path of [`${appAuthPath}/../web`, '/..%2f..%2fweb', '/%2e%2e/web', '/web/../v1/webapi/ping'])
    expect((await browser.send(path)).text).toMatch(/no such page/)
})

test('headers that are too large are refused at either end', async () => {
  const browser = await entered()
  expect((await browser.send('/', { headers: { 'x-large': 'x'.repeat(20_000) } })).status).toBe(431)
  const set = Array.from({ length: 80 }, (_, index) => `set=${encodeURIComponent(`c${index}=${'y'.repeat(150)}`)}`).join('&')
  expect((await browser.send(`/cookies?${set}`)).setCookies).toHaveLength(80)
})

test('a lock ends what is open, at once, and refuses what comes', async () => {
  const browser = await entered()
  const stream = await browser.open('/events')
  await once(stream, 'data')
  const closed = new Promise((resolve) => stream.once('close', resolve).on('error', () => {}))
  const params = { clusterId: world.cluster }
  const lock = await alice.call(locks.put, { params, body: { targets: { user: 'bob' }, message: 'out' } })
  await closed
  expect(await browser.send('/')).toMatchObject(refused)
  await alice.call(locks.remove, { params: { ...params, uuid: lock.name } })
  bob = await world.signIn('bob')
})

test('an administrator ends a session among the active ones; it is over for good', async () => {
  const browser = await entered('payroll.localhost')
  const params = { clusterId: world.cluster }
  const { sessions } = await alice.call(activeSessions, { params })
  const sid = sessions.find(({ app_name }) => app_name === 'payroll')?.id ?? ''
  await alice.call(endSession, { params: { ...params, sid } })
  await expect.poll(async () => (await browser.send('/')).status).toBe(302)
  await expect.poll(async () => (await eventsOf('app.session.end')).some((event) => event['sid'] === sid)).toBe(true)
})

test('roles that change count from the next request', async () => {
  const browser = await entered()
  await ask(world.dataDir, adminCalls.updateUser, { name: 'bob', roles: ['auditor'] })
  expect(await browser.send('/')).toMatchObject({ status: 403, text: expect.stringContaining('access to app denied') })
  await ask(world.dataDir, adminCalls.updateUser, { name: 'bob', roles: ['access'] })
  expect((await browser.send('/')).status).toBe(200)
})

test('an application that is gone is told of plainly, and is back when it is', async () => {
  const own = await startWebApp()
  await addApp(world, 'fragile', { uri: own.uri })
  const browser = await entered('fragile.localhost')
  expect((await browser.send('/')).status).toBe(200)
  own.kill()
  expect(await browser.send('/')).toMatchObject({ status: 504, text: expect.stringContaining('does not answer') })
  await expect(bob.call(createAppSession, { body: { fqdn: 'fragile.localhost' } })).rejects.toThrow('unable to serve application requests')
  await addApp(world, 'fragile', { uri: wiki.uri })
  expect((await browser.send('/')).status).toBe(200)
  const stream = await browser.open('/events')
  const closed = new Promise((resolve) => stream.once('close', resolve).on('error', () => {}))
  await ask(world.dataDir, adminCalls.removeResource, { kind: 'app', name: 'fragile' })
  await closed
  expect(await browser.send('/')).toMatchObject(refused)
})

test('signing out on the host of the application ends the session there', async () => {
  const browser = await entered()
  const kept = new Map(browser.cookies)
  expect(await browser.send('/teleport-logout')).toMatchObject({ status: 200 })
  expect(browser.cookies.has(appSessionCookie)).toBe(false)
  for (const [name, value] of kept) browser.cookies.set(name, value)
  expect(await browser.send('/')).toMatchObject(refused)
})
