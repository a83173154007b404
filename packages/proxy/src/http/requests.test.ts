import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { Answer } from '@sallyport/testkit/proxy-api.ts'
import { signedIn } from '@sallyport/testkit/proxy-people.ts'
import { expect, test } from 'vitest'

const signInPath = '/v1/webapi/sessions/web'

test('R7-011: calls answer with and without /v1; / leads to /web; unknown addresses are plain 404', async () => {
  await using api = await openProxyApi()
  const browser = api.browser()
  expect(await browser.send('GET', '/v1/webapi/ping')).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } })
  expect(await browser.send('GET', '/webapi/ping')).toMatchObject({ status: 200 })
  expect(await browser.send('GET', '/')).toMatchObject({ status: 302, headers: { location: '/web' } })
  for (const path of ['/nope', '/v1/webapi/nope', '/webapi', '/v1/v1/webapi/ping'])
    expect(await browser.send('GET', path)).toMatchObject({
      status: 404,
      headers: {
        'content-type': 'text/plain; charset=utf-8',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-cache, no-store, must-revalidate',
      },
    })
  expect(await browser.send('DELETE', '/v1/webapi/ping')).toMatchObject({ status: 404 })
})
test('R8-091: every refusal has its status and says why in error.message, and nothing else', async () => {
  await using api = await openProxyApi()
  const alice = await signedIn(api, 'alice')
  const bob = await signedIn(api, 'bob')
  const noCsrf = api.browser()
  const cases: [Promise<Answer>, number, string | RegExp][] = [
    [api.browser().send('GET', '/v1/webapi/sites'), 403, 'missing session cookie'],
    [noCsrf.send('POST', signInPath, { user: 'a', pass: 'b' }), 403, 'access denied'],
    [noCsrf.trustPage().send('POST', signInPath, { user: 'a', pass: 'b' }), 403, 'invalid credentials'],
    [noCsrf.trustPage().send('POST', signInPath, '{'), 400, /^request: /],
    [api.browser().send('GET', `/v1/webapi/users/password/token/${'0'.repeat(32)}`), 403, 'bad or expired token'],
    [
      bob.send('POST', '/v1/webapi/users/password/token', { name: 'alice', type: 'password' }),
      403,
      'access denied to perform action "update" on "user"',
    ],
    [alice.send('POST', '/v1/webapi/users/password/token', { name: 'nobody', type: 'invite' }), 404, /nobody/],
    [alice.send('GET', '/v1/webapi/sites/leaf/nodes'), 404, /leaf/],
    [alice.send('GET', '/v1/webapi/sites/sallyport/nodes?limit=x'), 400, 'failed to parse limit as limit: x'],
  ]
  for (const [answer, status, message] of cases) {
    const { status: given, body } = await answer
    expect([given, body]).toEqual([
      status,
      { error: { message: typeof message === 'string' ? message : (expect.stringMatching(message) as string) } },
    ])
  }
})
test('an error is indented JSON with a message', async () => {
  await using api = await openProxyApi()
  expect((await api.browser().send('GET', '/v1/webapi/user/status')).text).toBe(
    '{\n    "error": {\n        "message": "missing session cookie"\n    }\n}',
  )
})
test('bodies that are no JSON, of another type, too large or of the wrong shape are 400 and say what is wrong', async () => {
  await using api = await openProxyApi()
  const browser = api.browser().trustPage()
  expect(await browser.send('POST', signInPath, '{}', { 'content-type': 'text/plain' })).toMatchObject({
    status: 400,
    message: 'invalid request',
  })
  expect(await browser.send('POST', signInPath, '{"user":')).toMatchObject({ status: 400, message: expect.stringMatching(/^request: /) })
  expect(await browser.send('POST', signInPath, Buffer.from([0x22, 0xff, 0x22]))).toMatchObject({
    status: 400,
    message: expect.stringMatching(/^request: /),
  })
  expect(await browser.send('POST', signInPath, { user: 'a' })).toMatchObject({
    status: 400,
    message: expect.stringContaining('pass: invalid input'),
  })
  expect(await browser.send('POST', signInPath, { user: 'a', pass: 'x'.repeat(1025) })).toMatchObject({
    status: 400,
    message: expect.stringContaining('pass: too big'),
  })
  expect(await browser.send('POST', signInPath)).toMatchObject({ status: 400 })
  expect(await browser.send('POST', signInPath, '['.repeat(100_000) + ']'.repeat(100_000))).toMatchObject({
    status: 400,
    message: expect.stringMatching(/^request: /),
  })
  expect(await browser.send('POST', signInPath, Buffer.alloc(10 * 1024 * 1024 + 1, 0x20))).toMatchObject({
    status: 400,
    message: 'request: the body is larger than 10 MiB',
  })
  expect(await browser.send('GET', '/v1/webapi/ping/%zz')).toMatchObject({ status: 400, message: 'invalid request' })
})
test('fields are found whatever the case of their first letters, unknown ones are ignored', async () => {
  await using api = await openProxyApi()
  expect(await api.browser().trustPage().send('POST', signInPath, { User: 'a', Pass: 'b', more: 1 })).toMatchObject({
    status: 403,
    message: 'invalid credentials',
  })
})
test('a field named __proto__ is one that is unknown, and lends nothing', async () => {
  await using api = await openProxyApi()
  const body = '{"__proto__": {"user": "a", "pass": "b"}}'
  expect(await api.browser().trustPage().send('POST', signInPath, body)).toMatchObject({ status: 400 })
})
test('null is as good as absent, as other clients send it; where a field has to be, it is missed', async () => {
  await using api = await openProxyApi()
  const alice = await signedIn(api, 'alice')
  const renewed = { requestId: null, switchback: null, reloadUser: null }
  expect(await alice.send('POST', '/v1/webapi/sessions/web/renew', renewed)).toMatchObject({ status: 200 })
  const lock = { targets: { user: 'dan', role: null }, message: null, ttl: null }
  expect(await alice.send('PUT', '/v1/webapi/sites/sallyport/locks', lock)).toMatchObject({
    status: 200,
    body: { targets: { user: 'dan' }, message: '', expires: '' },
  })
  expect(await alice.send('PUT', '/v1/webapi/users', { name: 'bob', roles: null })).toMatchObject({ status: 400, message: 'missing roles' })
  expect(await alice.send('PUT', '/v1/webapi/users', { name: 'bob', roles: [null] })).toMatchObject({ status: 400 })
})
test('R7-020: the thumbprint is a JSON string, on plain HTTP that of the own authority', async () => {
  await using api = await openProxyApi()
  const [first, second] = await Promise.all([1, 2].map(() => api.browser().send('GET', '/v1/webapi/thumbprint')))
  expect(first).toMatchObject({ status: 200, body: expect.stringMatching(/^[0-9a-f]{40}$/) })
  expect(second?.body).toBe(first?.body)
})
test('calls that take no body accept one, and none', async () => {
  await using api = await openProxyApi()
  const alice = await signedIn(api, 'alice')
  expect(await alice.send('POST', '/v1/webapi/mfa/authenticatechallenge', '{"broken')).toMatchObject({ status: 200 })
  expect(await alice.send('DELETE', signInPath)).toMatchObject({ status: 200 })
})

test('low calls share one bucket of 40, refilled 20 per minute, per address', async () => {
  await using api = await openProxyApi()
  const attacker = api.browser('10.9.9.9')
  const answers: number[] = []
  for (let count = 0; count < 41; count += 1)
    answers.push((await attacker.send('GET', count % 2 ? '/v1/webapi/thumbprint' : '/v1/webapi/users/password/token/x')).status)
  expect(answers.slice(0, 40)).not.toContain(429)
  expect(await attacker.send('GET', '/web/config.js')).toMatchObject({ status: 429, message: 'max rate reached: retry-in 0s' })
  expect(await attacker.send('GET', '/v1/webapi/ping')).toMatchObject({ status: 200 })
  expect(await api.browser('10.9.9.8').send('GET', '/web/config.js')).toMatchObject({ status: 200 })
  api.clock.advance(3000)
  expect(await attacker.send('GET', '/web/config.js')).toMatchObject({ status: 200 })
  expect(await attacker.send('GET', '/web/config.js')).toMatchObject({ status: 429 })
})
test('ping is not counted for somebody who is signed in', async () => {
  await using api = await openProxyApi()
  const alice = await signedIn(api, 'alice')
  const statuses = await Promise.all(Array.from({ length: 500 }, () => alice.send('GET', '/v1/webapi/ping')))
  expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([200]))
  const nobody = api.browser('10.9.9.7')
  const anonymous = await Promise.all(Array.from({ length: 490 }, () => nobody.send('GET', '/v1/webapi/ping')))
  expect(anonymous.filter(({ status }) => status === 429).length).toBeGreaterThan(0)
})
