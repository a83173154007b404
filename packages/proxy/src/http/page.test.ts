import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sessionWire } from '@sallyport/wire/entities/session.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { signedIn } from '@sallyport/testkit/proxy-people.ts'
import { expect, test } from 'vitest'

const html =
  '<!doctype html><html><head><meta name="grv_csrf_token" content="" /><meta name="grv_bearer_token" content="" /></head><body><div id="app"></div></body></html>'

async function built() {
  const consoleDir = await mkdtemp(join(tmpdir(), 'sallyport-console-'))
  await mkdir(join(consoleDir, 'app'))
  await writeFile(join(consoleDir, 'index.html'), html)
  for (const [name, content] of Object.entries({
    'main-1.js': 'plain',
    'main-1.js.br': 'brotli',
    'main-1.js.gz': 'gzip',
    'logo-1.png': 'png',
  }))
    await writeFile(join(consoleDir, 'app', name), content)
  await writeFile(join(consoleDir, '..', 'outside.txt'), 'secret')
  const api = await openProxyApi({ consoleDir })
  return {
    ...api,
    consoleDir,
    async [Symbol.asyncDispose]() {
      await api[Symbol.asyncDispose]()
      await rm(consoleDir, { recursive: true })
    },
  }
}
const meta = (page: string, name: string): string | undefined => new RegExp(`<meta name="${name}" content="([^"]*)" />`).exec(page)?.[1]

const security = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'strict-origin',
  'x-frame-options': 'SAMEORIGIN',
  'x-xss-protection': '1; mode=block',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
}
const noCache = { 'cache-control': 'no-cache, no-store, must-revalidate', pragma: 'no-cache', expires: '0' }

test('the page is the same at every address below /web, signed out, with a CSRF token in meta and cookie', async () => {
  await using api = await built()
  for (const path of ['/web', '/web/', '/web/login', '/web/cluster/a/nodes', '/v1/web/login']) {
    const answer = await api.browser().send('GET', path)
    const token = meta(answer.text, 'grv_csrf_token')
    expect(answer.status).toBe(200)
    expect(token).toMatch(/^[0-9a-f]{64}$/)
    expect(answer.setCookies).toEqual([`__Host-grv_csrf=${token}; Path=/; HttpOnly; Secure; SameSite=None`])
    expect(meta(answer.text, 'grv_bearer_token')).toBe('')
    expect(answer.text.match(/grv_csrf_token/g)).toHaveLength(1)
    expect(answer.headers).toMatchObject({ ...security, ...noCache, vary: 'Cookie', 'content-type': 'text/html; charset=utf-8' })
  }
})
test('the page is also there at addresses whose percent signs mean nothing; files are not', async () => {
  await using api = await built()
  for (const path of ['/web/%', '/web/cluster/%ff/nodes', '/web/login?redirect_uri=%'])
    expect(await api.browser().send('GET', path), path).toMatchObject({ status: 200, text: expect.stringContaining('<div id="app">') })
  expect(await api.browser().send('GET', '/web/app/%ff.js')).toMatchObject({ status: 400 })
})
test('a CSRF cookie that is there is kept; one that is no token is replaced', async () => {
  await using api = await built()
  const browser = api.browser()
  const first = meta((await browser.send('GET', '/web')).text, 'grv_csrf_token')
  expect(meta((await browser.send('GET', '/web')).text, 'grv_csrf_token')).toBe(first)
  browser.cookies.set('__Host-grv_csrf', '"><script>')
  expect(meta((await browser.send('GET', '/web')).text, 'grv_csrf_token')).toMatch(/^[0-9a-f]{64}$/)
})
test('R7-009: signed in, the page carries the current bearer with the seconds left; not after signing out', async () => {
  await using api = await built()
  const alice = await signedIn(api, 'alice')
  const answer = async () => meta((await alice.send('GET', '/web')).text, 'grv_bearer_token') ?? ''
  const session = sessionWire.parse(JSON.parse(Buffer.from(await answer(), 'base64').toString()))
  expect(session.token).toBe(alice.bearer)
  expect(session.expires_in).toBeGreaterThan(560)
  api.clock.advance(11 * 60_000)
  expect(sessionWire.parse(JSON.parse(Buffer.from(await answer(), 'base64').toString())).expires_in).toBeLessThan(0)
  await api.context.sessions.endAllOf('alice')
  expect(await answer()).toBe('')
})
test('no inline script is allowed, and nobody may frame the page', async () => {
  await using api = await built()
  const policy = String((await api.browser().send('GET', '/web')).headers['content-security-policy'])
  const directives = new Map(policy.split(';').map((directive) => [directive.split(' ')[0], directive]))
  expect(directives.get('script-src')).toBe("script-src 'self'")
  expect(directives.get('frame-ancestors')).toBe("frame-ancestors 'none'")
  expect(directives.get('connect-src')).toBe("connect-src 'self' ws: wss:")
})
test('static files come compressed as accepted, for ever; others, and paths that climb, do not exist', async () => {
  await using api = await built()
  const get = (path: string, accept = '') => api.browser().send('GET', path, undefined, { 'accept-encoding': accept })
  expect(await get('/web/app/main-1.js', 'gzip, deflate, br')).toMatchObject({
    status: 200,
    text: 'brotli',
    headers: {
      'content-encoding': 'br',
      'cache-control': 'max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
      ...security,
    },
  })
  expect(await get('/web/app/main-1.js', 'gzip, br;q=0')).toMatchObject({ text: 'gzip', headers: { 'content-encoding': 'gzip' } })
  expect(await get('/web/app/main-1.js')).toMatchObject({ text: 'plain' })
  expect(await get('/web/app/logo-1.png', 'br')).toMatchObject({ text: 'png', headers: { 'content-type': 'image/png' } })
  for (const path of [
    'nothing.js',
    'main-1.js.br',
    '../index.html',
    '..%2findex.html',
    '../../outside.txt',
    '..%2f..%2foutside.txt',
    '%2e%2e/index.html',
  ])
    expect((await get(`/web/app/${path}`)).text).not.toMatch(/secret|brotli/)
  expect(await get('/web/app/nothing.js')).toMatchObject({ status: 404 })
})
test('a file that has vanished since the start does not exist any more; the others do', async () => {
  await using api = await built()
  await rm(join(api.consoleDir, 'app', 'logo-1.png'))
  expect(await api.browser().send('GET', '/web/app/logo-1.png')).toMatchObject({
    status: 404,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  })
  expect(await api.browser().send('GET', '/web/app/main-1.js')).toMatchObject({ status: 200 })
})
test('R7-019: config.js is one assignment; ping, find and motd tell the same', async () => {
  await using api = await openProxyApi({ clusterName: 'harbour', motd: 'be careful', secondFactor: 'otp' })
  const script = await api.browser().send('GET', '/web/config.js')
  expect(script.headers).toMatchObject({ 'content-type': 'application/javascript', ...noCache })
  const json = /^var GRV_CONFIG = (\{.*\});$/.exec(script.text)?.[1] ?? ''
  expect(JSON.parse(json)).toMatchObject({
    auth: {
      second_factor: 'otp',
      localAuthEnabled: true,
      allowPasswordless: false,
      authType: 'local',
      preferredLocalMfa: 'otp',
      motd: 'be careful',
    },
    proxyCluster: 'harbour',
    canJoinSessions: true,
    automaticUpgrades: false,
    assistEnabled: false,
  })
  const { body } = await api.browser().send('GET', '/webapi/ping')
  expect(body).toMatchObject({
    auth: { type: 'local', second_factor: 'otp', has_motd: true },
    proxy: { assist_enabled: false },
    cluster_name: 'harbour',
    automatic_upgrades: false,
  })
  expect(await api.browser().send('GET', '/v1/webapi/motd')).toMatchObject({ body: { text: 'be careful' } })
  expect(await api.browser().send('GET', '/v1/webapi/ping/github')).toMatchObject({
    status: 400,
    message: 'invalid connector name: github; valid options: local, passwordless, headless',
  })
  expect((await api.browser().send('GET', '/v1/webapi/find')).body).not.toHaveProperty('auth.second_factor')
})
test('without a built console the page says so, and calls work', async () => {
  await using api = await openProxyApi({ consoleDir: '/nonexistent' })
  expect(await api.browser().send('GET', '/web')).toMatchObject({ status: 501 })
  expect(await api.browser().send('GET', '/v1/webapi/ping')).toMatchObject({ status: 200 })
})
