import { renew, signIn, signOut, userStatus } from '@sallyport/wire/calls/session.ts'
import { devices } from '@sallyport/wire/calls/mfa.ts'
import { sessionWire } from '@sallyport/wire/entities/session.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { codeOf, setUpWithApp, setUpWithKey, signedIn, signInWithApp } from '@sallyport/testkit/proxy-people.ts'
import { expect, test } from 'vitest'
import { encodeSessionCookie } from '../../core/identity/session-cookie.ts'

const minute = 60_000
const refused = { status: 403, message: 'invalid credentials' }

test('R1-020, R1-021, R7-017: password and code sign in with a cookie and a bearer; a wrong password, code or name is refused in the same words', async () => {
  await using api = await openProxyApi()
  const alice = await setUpWithApp(api, 'alice')
  const attempt = async (user: string, pass: string, code: string) =>
    api
      .browser()
      .trustPage()
      .call(signIn, { body: { user, pass, second_factor_token: code } })
  const good = await attempt('alice', alice.password, await codeOf(api, alice.secret))
  expect(good).toMatchObject({ status: 200, body: { type: 'Bearer', expires_in: 600, sessionInactiveTimeout: 0 } })
  const answer = sessionWire.parse(good.body)
  expect(answer.token).toMatch(/^[0-9a-f]{64}$/)
  expect(Date.parse(answer.sessionExpires) - api.clock.now()).toBeGreaterThan(11.9 * 60 * minute)
  expect(good.setCookies).toEqual([expect.stringMatching(/^__Host-session=[0-9a-f]+; Path=\/; HttpOnly; Secure$/)])
  expect(JSON.parse(Buffer.from(/=([0-9a-f]+)/.exec(good.setCookies[0] ?? '')?.[1] ?? '', 'hex').toString())).toEqual({
    user: 'alice',
    sid: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  api.clock.advance(30_000)
  expect(await attempt('alice', 'wrong password', await codeOf(api, alice.secret))).toMatchObject(refused)
  expect(await attempt('alice', alice.password, '000000')).toMatchObject(refused)
  expect(await attempt('nobody', alice.password, '000000')).toMatchObject(refused)
})
test('R8-039, R8-040: sign-ins are audited with address, browser and device; failures with their reason', async () => {
  await using api = await openProxyApi()
  const alice = await setUpWithApp(api, 'alice')
  await signInWithApp(api, alice)
  await api
    .browser()
    .trustPage()
    .call(signIn, { body: { user: 'alice', pass: 'wrong', second_factor_token: '1' } })
  expect((await api.events('T1000I')).at(-1)).toMatchObject({
    user: 'alice',
    method: 'local',
    success: true,
    user_agent: 'test browser',
    'addr.remote': expect.stringMatching(/^10\.1\./),
    mfa_device: { mfa_device_name: 'otp', mfa_device_type: 'TOTP' },
  })
  expect(await api.events('T1000W')).toMatchObject([{ user: 'alice', success: false, error: 'wrong user name or password' }])
})
test('a code counts once', async () => {
  await using api = await openProxyApi()
  const alice = await setUpWithApp(api, 'alice')
  const code = await codeOf(api, alice.secret)
  const attempt = () =>
    api
      .browser()
      .trustPage()
      .call(signIn, { body: { user: 'alice', pass: alice.password, second_factor_token: code } })
  expect(await attempt()).toMatchObject({ status: 200 })
  expect(await attempt()).toMatchObject(refused)
  expect((await api.events('T1000W')).at(-1)).toMatchObject({ error: 'previously used totp token' })
})
test('five failures lock the user for twenty minutes, for right passwords too; other users go on', async () => {
  await using api = await openProxyApi()
  const alice = await setUpWithApp(api, 'alice')
  const bob = await setUpWithApp(api, 'bob')
  const wrong = () =>
    api
      .browser()
      .trustPage()
      .call(signIn, { body: { user: 'alice', pass: 'wrong', second_factor_token: '1' } })
  await Promise.all([wrong(), wrong(), wrong(), wrong(), wrong()])
  await expect(signInWithApp(api, alice)).rejects.toThrow('invalid credentials')
  await expect(signInWithApp(api, bob)).resolves.toBeDefined()
  api.clock.advance(20 * minute)
  await expect(signInWithApp(api, alice)).resolves.toBeDefined()
})
test('a success starts the count again', async () => {
  await using api = await openProxyApi()
  const alice = await setUpWithApp(api, 'alice')
  const wrong = () =>
    api
      .browser()
      .trustPage()
      .call(signIn, { body: { user: 'alice', pass: 'wrong', second_factor_token: '1' } })
  for (let round = 0; round < 2; round += 1) {
    for (let failure = 0; failure < 4; failure += 1) await wrong()
    await expect(signInWithApp(api, alice)).resolves.toBeDefined()
  }
})
test('the password alone does not buy further guesses of the code', async () => {
  await using api = await openProxyApi()
  const alice = await setUpWithApp(api, 'alice')
  for (let guess = 0; guess < 5; guess += 1) {
    const browser = api.browser().trustPage()
    await browser.send('POST', '/v1/webapi/mfa/login/begin', { user: 'alice', pass: alice.password })
    await browser.call(signIn, { body: { user: 'alice', pass: alice.password, second_factor_token: '000000' } })
  }
  await expect(signInWithApp(api, alice)).rejects.toThrow('invalid credentials')
})

test('without the CSRF token a sign-in is refused before anything is looked at; as a form field it counts', async () => {
  await using api = await openProxyApi()
  const alice = await setUpWithApp(api, 'alice')
  const body = { user: 'alice', pass: alice.password, second_factor_token: await codeOf(api, alice.secret) }
  expect(await api.browser().call(signIn, { body })).toMatchObject({ status: 403, message: 'access denied' })
  const other = api.browser().trustPage()
  other.csrf = 'cd'.repeat(32)
  expect(await other.call(signIn, { body })).toMatchObject({ status: 403, message: 'access denied' })
  const form = api.browser().trustPage()
  const token = form.csrf
  form.csrf = ''
  expect(await form.send('POST', '/v1/webapi/sessions/web', { ...body, csrf_token: token })).toMatchObject({ status: 200 })
})

test('R7-016: the status answers ok for a session, 403 in the words of the contract otherwise', async () => {
  await using api = await openProxyApi()
  const alice = await signedIn(api, 'alice')
  const bob = await signedIn(api, 'bob')
  expect(await alice.call(userStatus)).toMatchObject({ status: 200, body: { message: 'ok' } })
  const status = async (change: (browser: typeof alice) => void) => {
    const browser = api.browser()
    browser.cookies.set('__Host-session', alice.sessionCookie ?? '')
    browser.bearer = alice.bearer
    change(browser)
    return browser.call(userStatus)
  }
  expect(await status((it) => it.cookies.clear())).toMatchObject({ status: 403, message: 'missing session cookie' })
  expect(await status((it) => it.cookies.set('__Host-session', 'zz'))).toMatchObject({ status: 403, message: 'failed to decode cookie' })
  expect(await status((it) => it.cookies.set('__Host-session', encodeSessionCookie({ user: 'alice', sid: '0'.repeat(64) })))).toMatchObject(
    {
      status: 403,
      message: 'need auth',
      setCookies: ['__Host-session=; Path=/; HttpOnly; Secure'],
    },
  )
  // A link from elsewhere that leads here must not sign anybody out.
  expect(await status((it) => (it.bearer = undefined))).toMatchObject({ status: 403, message: 'need auth', setCookies: [] })
  expect(await status((it) => (it.bearer = 'undefined'))).toMatchObject({ status: 403, message: 'bad bearer token' })
  expect(await status((it) => (it.bearer = bob.bearer))).toMatchObject({ status: 403, message: 'bad bearer token' })
})
test('a bearer ends after ten minutes, the cookie with it for calls; the query carries one too', async () => {
  await using api = await openProxyApi()
  const alice = await signedIn(api, 'alice')
  const { bearer } = alice
  alice.bearer = undefined
  expect(await alice.send('GET', `/v1/webapi/user/status?access_token=${bearer}`)).toMatchObject({ status: 200 })
  api.clock.advance(10 * minute)
  expect(await alice.send('GET', `/v1/webapi/user/status?access_token=${bearer}`)).toMatchObject({
    status: 403,
    message: 'bad bearer token',
  })
})

test('R3-027, R7-014, R7-015, R7-018: a renewal gives a new cookie and bearer and leaves the old ones alive; two fields at once are refused', async () => {
  await using api = await openProxyApi()
  const alice = await signedIn(api, 'alice')
  const oldTab = api.browser()
  oldTab.cookies.set('__Host-session', alice.sessionCookie ?? '')
  oldTab.bearer = alice.bearer
  const renewed = await alice.call(renew, { body: {} })
  expect(renewed).toMatchObject({ status: 200, body: { type: 'Bearer', expires_in: 600, sessionInactiveTimeout: 0 } })
  expect(alice.sessionCookie).not.toBe(oldTab.sessionCookie)
  const answer = sessionWire.parse(renewed.body)
  expect(answer.token).not.toBe(alice.bearer)
  alice.bearer = answer.token
  expect(await alice.call(userStatus)).toMatchObject({ status: 200 })
  expect(await oldTab.call(userStatus)).toMatchObject({ status: 200 })
  expect(await alice.send('POST', '/v1/webapi/sessions/web/renew')).toMatchObject({ status: 200 })
  for (const body of [{ switchback: true }, { reloadUser: true }]) expect(await alice.call(renew, { body })).toMatchObject({ status: 200 })
  expect(await alice.call(renew, { body: { switchback: true, reloadUser: true } })).toMatchObject({
    status: 400,
    message: 'failed to renew session: only one field can be set',
  })
  expect(await alice.call(renew, { body: { requestId: 'x' } })).toMatchObject({ status: 404, message: 'access request "x" is not found' })
})
test('renewals never reach beyond the end of the session', async () => {
  await using api = await openProxyApi({ sessionTtl: '12m' })
  const alice = await signedIn(api, 'alice')
  const first = sessionWire.parse((await alice.call(renew, { body: {} })).body)
  alice.bearer = first.token
  api.clock.advance(8 * minute)
  const second = sessionWire.parse((await alice.call(renew, { body: {} })).body)
  expect(second.sessionExpires).toBe(first.sessionExpires)
  expect(second.expires_in).toBeLessThanOrEqual(4 * 60)
  alice.bearer = second.token
  api.clock.advance(5 * minute)
  expect(await alice.call(renew, { body: {} })).toMatchObject({ status: 403, message: 'need auth' })
})

test('R4-023, R7-013: signing out needs no body, clears the cookie, and ends every session of the sign-in at once', async () => {
  await using api = await openProxyApi()
  const alice = await signedIn(api, 'alice')
  const elsewhere = await otherBrowser(api)
  const oldTab = api.browser()
  oldTab.cookies.set('__Host-session', alice.sessionCookie ?? '')
  oldTab.bearer = alice.bearer
  alice.bearer = sessionWire.parse((await alice.call(renew, { body: {} })).body).token
  const session = await api.context.sessions.find(cookieOf(alice.sessionCookie))
  const caller = session && (await api.context.sessions.callerOf(session))
  expect(caller?.signal.aborted).toBe(false)
  expect(await alice.call(signOut)).toMatchObject({
    status: 200,
    body: { message: 'ok' },
    setCookies: ['__Host-session=; Path=/; HttpOnly; Secure'],
  })
  expect(caller?.signal.aborted).toBe(true)
  expect(await oldTab.call(userStatus)).toMatchObject({ status: 403, message: 'need auth' })
  expect(await elsewhere.call(userStatus)).toMatchObject({ status: 200 })
})
test('a session ends when its user is gone; whoever gets the name next inherits neither session nor password nor device', async () => {
  await using api = await openProxyApi()
  const person = await setUpWithApp(api, 'bob')
  const bob = await signInWithApp(api, person)
  const session = await api.context.sessions.find(cookieOf(bob.sessionCookie))
  const caller = session && (await api.context.sessions.callerOf(session))
  const again = api.browser()
  again.cookies.set('__Host-session', bob.sessionCookie ?? '')
  again.bearer = bob.bearer
  const ended = new Promise((resolve) => caller?.signal.addEventListener('abort', resolve))
  await api.context.accounts.remove('bob', 'test')
  expect(await bob.call(devices)).toMatchObject({ status: 403, message: 'need auth' })
  await ended
  await api.context.users.create({ metadata: { name: 'bob' }, spec: { roles: ['access'] } })
  expect(await again.call(devices)).toMatchObject({ status: 403, message: 'need auth' })
  await expect(signInWithApp(api, person)).rejects.toThrow('invalid credentials')
})

test('R1-025, R1-026: what each of the five second-factor modes asks for', async () => {
  const withPassword = async (secondFactor: 'off' | 'otp' | 'webauthn' | 'on' | 'optional') => {
    await using api = await openProxyApi({ secondFactor })
    const app = secondFactor === 'off' || secondFactor === 'webauthn' ? undefined : await setUpWithApp(api, 'alice')
    const key = secondFactor === 'webauthn' ? await setUpWithKey(api, 'alice') : undefined
    const password = app?.password ?? key?.password ?? (await bare(api))
    const attempt = async (code: string) =>
      (
        await api
          .browser()
          .trustPage()
          .call(signIn, { body: { user: 'alice', pass: password, second_factor_token: code } })
      ).message || 'ok'
    return { alone: await attempt(''), withCode: await attempt(app ? await codeOf(api, app.secret) : '123456') }
  }
  expect(await withPassword('off')).toEqual({ alone: 'ok', withCode: 'ok' })
  expect(await withPassword('otp')).toEqual({ alone: 'invalid credentials', withCode: 'ok' })
  expect(await withPassword('on')).toEqual({ alone: 'invalid credentials', withCode: 'ok' })
  expect(await withPassword('optional')).toEqual({ alone: 'invalid credentials', withCode: 'ok' })
  const onlyKeys = 'unknown second factor type: "webauthn"'
  expect(await withPassword('webauthn')).toEqual({ alone: onlyKeys, withCode: onlyKeys })
})
test('with local sign-in off everything is refused and audited', async () => {
  await using api = await openProxyApi({ localAuth: false })
  expect(
    await api
      .browser()
      .trustPage()
      .call(signIn, { body: { user: 'alice', pass: 'x', second_factor_token: '1' } }),
  ).toMatchObject(refused)
  expect(await api.events('T3007W')).toMatchObject([{ user: 'alice', error: 'local auth disabled' }])
})

/** Sets alice up with a password only. */
async function bare(api: ProxyApi): Promise<string> {
  const token = await api.invite('alice')
  const password = 'only a password'
  await api
    .browser()
    .trustPage()
    .send('PUT', '/v1/webapi/users/password/token', { token, password: Buffer.from(password).toString('base64') })
  return password
}

const cookieOf = (value = ''): { user: string; sid: string } =>
  JSON.parse(Buffer.from(value, 'hex').toString()) as { user: string; sid: string }

/** Another sign-in of alice, in a browser of its own. */
async function otherBrowser(api: ProxyApi) {
  const person = await api.context.people.find('alice')
  if (!person) throw new Error('alice is missing')
  const started = await api.context.sessions.start(person, '10.9.9.9')
  const browser = api.browser()
  browser.cookies.set('__Host-session', encodeSessionCookie(started.cookie))
  browser.bearer = started.answer.token
  return browser
}
