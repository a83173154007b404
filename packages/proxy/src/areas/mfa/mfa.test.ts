import {
  authenticateChallenge,
  authenticateChallengePassword,
  beginSignIn,
  devices,
  finishSignIn,
  registerChallenge,
} from '@sallyport/wire/calls/mfa.ts'
import { userStatus } from '@sallyport/wire/calls/session.ts'
import type { AuthenticateChallenge } from '@sallyport/wire/entities/mfa.ts'
import { sessionWire } from '@sallyport/wire/entities/session.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { ApiBrowser, ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { setUpWithApp, setUpWithKey, signedIn, signInWithApp } from '@sallyport/testkit/proxy-people.ts'
import type { SoftwareKey } from '@sallyport/testkit/software-key.ts'
import { expect, test } from 'vitest'

const refused = { status: 403, message: 'invalid credentials' }
type Options = NonNullable<AuthenticateChallenge['webauthn_challenge']>['publicKey']

async function optionsFrom(browser: ApiBrowser, body: { passwordless: boolean; user?: string; pass?: string }): Promise<Options> {
  const { webauthn_challenge: challenge } = beginSignIn.out.parse((await browser.call(beginSignIn, { body })).body)
  if (!challenge) throw new Error('no challenge for a key')
  return challenge.publicKey
}

test('R7-118: begin checks the password and asks for what the user owns; a wrong password is refused', async () => {
  await using api = await openProxyApi()
  const alice = await setUpWithKey(api, 'alice')
  const bob = await setUpWithApp(api, 'bob')
  const browser = api.browser()
  expect(await browser.call(beginSignIn, { body: { passwordless: false, user: 'alice', pass: alice.password } })).toMatchObject({
    status: 200,
    body: {
      webauthn_challenge: {
        publicKey: {
          challenge: expect.stringMatching(/^[\w-]{43}$/),
          timeout: 300_000,
          rpId: 'localhost',
          userVerification: 'discouraged',
          allowCredentials: [{ type: 'public-key', id: expect.stringMatching(/^[\w-]+$/) }],
        },
      },
      totp_challenge: false,
    },
  })
  expect(await browser.call(beginSignIn, { body: { passwordless: false, user: 'bob', pass: bob.password } })).toMatchObject({
    body: { webauthn_challenge: null, totp_challenge: true },
  })
  expect(await browser.call(beginSignIn, { body: { passwordless: false, user: 'alice', pass: 'wrong' } })).toMatchObject(refused)
  expect(await browser.call(beginSignIn, { body: { passwordless: false, user: 'nobody', pass: 'wrong' } })).toMatchObject(refused)
})
test('R7-119: a key completes the sign-in; its answer counts once, for its own challenge, origin and owner only', async () => {
  await using api = await openProxyApi()
  const { password, key } = await setUpWithKey(api, 'alice')
  await setUpWithApp(api, 'bob')
  const start = async () => {
    const browser = api.browser()
    return { browser, options: await optionsFrom(browser, { passwordless: false, user: 'alice', pass: password }) }
  }
  const finish = (browser: ApiBrowser, assertion: ReturnType<SoftwareKey['get']>, user = 'alice') =>
    browser.call(finishSignIn, { body: { user, webauthnAssertionResponse: assertion } })

  const { browser, options } = await start()
  const assertion = key.get(options, { origin: api.origin })
  const done = await finish(browser, assertion)
  expect(done).toMatchObject({ status: 200, setCookies: [expect.stringContaining('__Host-session=')] })
  browser.bearer = sessionWire.parse(done.body).token
  expect(await browser.call(userStatus)).toMatchObject({ status: 200 })
  expect(await finish(api.browser(), assertion)).toMatchObject(refused)

  const wrong: ((options: Options) => [ReturnType<SoftwareKey['get']>, string?])[] = [
    (it) => [key.get(it, { origin: 'https://elsewhere.example' })],
    (it) => [key.get({ ...it, challenge: Buffer.alloc(32).toString('base64url') }, { origin: api.origin })],
    (it) => [key.get(it, { origin: api.origin, present: false })],
    (it) => [key.get(it, { origin: api.origin }), 'bob'],
  ]
  for (const make of wrong) {
    await api.context.lockout.clear('alice')
    const next = await start()
    const [answer, user] = make(next.options)
    expect(await finish(next.browser, answer, user)).toMatchObject(refused)
  }
  const last = await start()
  key.counter = 0
  expect(await finish(last.browser, key.get(last.options, { origin: api.origin }))).toMatchObject(refused)
})
test('R1-026: a key signs in under the modes that allow keys only', async () => {
  for (const secondFactor of ['webauthn', 'on', 'optional'] as const) {
    await using api = await openProxyApi({ secondFactor })
    const { password, key } = await setUpWithKey(api, 'alice')
    const browser = api.browser()
    const options = await optionsFrom(browser, { passwordless: false, user: 'alice', pass: password })
    expect(
      await browser.call(finishSignIn, { body: { user: 'alice', webauthnAssertionResponse: key.get(options, { origin: api.origin }) } }),
    ).toMatchObject({ status: 200 })
  }
  await using api = await openProxyApi({ secondFactor: 'otp' })
  const params = { token: await api.invite('alice') }
  expect(await api.browser().call(registerChallenge, { params, body: { deviceType: 'webauthn' } })).toMatchObject({
    status: 400,
    message: 'second factor webauthn not allowed by cluster',
  })
})
test('a resident key signs in alone; one for second factors, or without verification, does not', async () => {
  await using api = await openProxyApi()
  const { key } = await setUpWithKey(api, 'alice', 'passwordless')
  const other = await setUpWithKey(api, 'bob')
  const attempt = async (with_: SoftwareKey, verified = true) => {
    const browser = api.browser()
    const options = await optionsFrom(browser, { passwordless: true })
    expect(options.allowCredentials).toBeUndefined()
    expect(options.userVerification).toBe('required')
    return browser.call(finishSignIn, { body: { webauthnAssertionResponse: with_.get(options, { origin: api.origin, verified }) } })
  }
  expect(await attempt(key)).toMatchObject({ status: 200 })
  expect(await attempt(key, false)).toMatchObject(refused)
  expect(await attempt(other.key)).toMatchObject(refused)
})
test('a sign-in without a password is refused by the server where it is not allowed', async () => {
  await using api = await openProxyApi({ allowPasswordless: false })
  expect(await api.browser().call(beginSignIn, { body: { passwordless: true } })).toMatchObject(refused)
})

test('R7-120: somebody who is signed in gets a challenge without a body; nobody else does', async () => {
  await using api = await openProxyApi()
  const alice = await signedIn(api, 'alice')
  expect(await alice.call(authenticateChallenge)).toMatchObject({ status: 200, body: { webauthn_challenge: null, totp_challenge: true } })
  expect(await api.browser().call(authenticateChallenge)).toMatchObject({ status: 403 })
})
test('R7-121: the same after a password: a wrong one is 400, a lockout signs out', async () => {
  await using api = await openProxyApi()
  const person = await setUpWithApp(api, 'alice')
  const alice = await signInWithApp(api, person)
  const ask = (pass: string) => alice.call(authenticateChallengePassword, { body: { pass } })
  expect(await ask(person.password)).toMatchObject({ status: 200, body: { totp_challenge: true } })
  for (let guess = 0; guess < 5; guess += 1)
    expect(await ask('wrong')).toMatchObject({ status: 400, message: 'invalid username or password' })
  expect(await ask(person.password)).toMatchObject({
    status: 403,
    message: 'too many incorrect attempts, please try again later',
    setCookies: ['__Host-session=; Path=/; HttpOnly; Secure'],
  })
  expect(await alice.call(userStatus)).toMatchObject({ status: 403 })
})
test('R7-123: a link gives challenges to register a code or a key; a bad link and an unknown kind do not', async () => {
  await using api = await openProxyApi()
  const token = await api.invite('alice')
  const ask = (deviceType: string, deviceUsage: '' | 'mfa' | 'passwordless' = '', of = token) =>
    api.browser().call(registerChallenge, { params: { token: of }, body: { deviceType, deviceUsage } })
  expect(await ask('totp')).toMatchObject({
    status: 200,
    body: { webauthn: null, totp: { qrCode: expect.stringMatching(/^iVBORw0KGgo/) } },
  })
  expect(await ask('webauthn')).toMatchObject({
    status: 200,
    body: {
      totp: null,
      webauthn: {
        publicKey: {
          rp: { id: 'localhost' },
          user: { name: 'alice' },
          attestation: 'none',
          authenticatorSelection: { requireResidentKey: false, userVerification: 'discouraged' },
        },
      },
    },
  })
  const passwordless = registerChallenge.out.parse((await ask('webauthn', 'passwordless')).body).webauthn?.publicKey
  expect(passwordless?.authenticatorSelection).toMatchObject({ requireResidentKey: true, userVerification: 'required' })
  expect(passwordless?.pubKeyCredParams.map(({ alg }) => alg)).toEqual([-7, -35, -36, -257, -258, -259, -37, -38, -39, -8])
  expect(Buffer.from(passwordless?.user.id ?? '', 'base64url').toString()).toMatch(/^[0-9a-f-]{36}$/)
  expect(await ask('totp', '', '0'.repeat(32))).toMatchObject({ status: 403, message: 'invalid token' })
  expect(await ask('sms')).toMatchObject({ status: 400, message: 'MFA device type "sms" unsupported' })
})
test('R7-126: own devices are listed, as an empty array when there are none', async () => {
  await using api = await openProxyApi({ secondFactor: 'optional' })
  const alice = await signedIn(api, 'alice')
  expect(await alice.call(devices)).toMatchObject({
    status: 200,
    body: [{ name: 'otp', type: 'TOTP', id: expect.any(String), addedAt: expect.any(String), lastUsed: expect.any(String) }],
  })
  const person = await personWithoutDevice(api)
  expect(await person.call(devices)).toMatchObject({ status: 200, body: [] })
})

async function personWithoutDevice(api: ProxyApi): Promise<ApiBrowser> {
  const token = await api.invite('bob')
  const browser = api.browser().trustPage()
  const password = 'just a password'
  await browser.send('PUT', '/v1/webapi/users/password/token', { token, password: Buffer.from(password).toString('base64') })
  const answer = await browser.send('POST', '/v1/webapi/sessions/web', { user: 'bob', pass: password })
  browser.bearer = sessionWire.parse(answer.body).token
  return browser
}
