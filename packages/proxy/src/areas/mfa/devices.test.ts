/** A person's own devices: the fresh proof that every change needs, adding, renaming, removing. */
import {
  addDevice,
  authenticateChallenge,
  createPrivilegeToken,
  devices,
  registerChallenge,
  removeDevice,
  renameDevice,
} from '@sallyport/wire/calls/mfa.ts'
import { userStatus } from '@sallyport/wire/calls/session.ts'
import { completeUserToken } from '@sallyport/wire/calls/users.ts'
import type { SecondFactor } from '@sallyport/wire/config.ts'
import type { AuthenticateChallenge, RegisterChallenge } from '@sallyport/wire/entities/mfa.ts'
import type { Name } from '@sallyport/testkit/people.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { ApiBrowser, ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { encodeSessionCookie } from '@sallyport/proxy/core/identity/session-cookie.ts'
import { base64, codeOf, pageBearer, setUpWithApp, setUpWithKey, signInWithApp } from '@sallyport/testkit/proxy-people.ts'
import { SoftwareKey } from '@sallyport/testkit/software-key.ts'
import { expect, test } from 'vitest'

const minute = 60_000
const privilegeOf = async (browser: ApiBrowser, body: Parameters<typeof ask>[1]): Promise<string> =>
  createPrivilegeToken.out.parse((await ask(browser, body)).body)
const ask = (browser: ApiBrowser, body: { secondFactorToken?: string; webauthnAssertionResponse?: ReturnType<SoftwareKey['get']> }) =>
  browser.call(createPrivilegeToken, { body })

/** Somebody with an authenticator app, and how they get a token for a change. */
async function withApp(api: ProxyApi, name: Name = 'alice') {
  const person = await setUpWithApp(api, name)
  const browser = await signInWithApp(api, person)
  const privilege = async (): Promise<string> => {
    const token = await privilegeOf(browser, { secondFactorToken: await codeOf(api, person.secret) })
    api.clock.advance(minute)
    return token
  }
  return { ...person, browser, privilege }
}
async function withKey(api: ProxyApi, name: Name = 'alice') {
  const person = await setUpWithKey(api, name)
  const { browser, key } = person
  browser.bearer = await pageBearer(api, browser)
  const assertion = async () => key.get(optionsIn(await browser.call(authenticateChallenge)), { origin: api.origin })
  return { ...person, assertion, privilege: async () => privilegeOf(browser, { webauthnAssertionResponse: await assertion() }) }
}
async function withPasswordOnly(api: ProxyApi, name: Name = 'bob') {
  const token = await api.invite(name)
  const browser = api.browser().trustPage()
  await browser.call(completeUserToken, { body: { token, password: base64('just a password') } })
  browser.bearer = await pageBearer(api, browser)
  return browser
}
function optionsIn({ body }: { body: unknown }) {
  const challenge: AuthenticateChallenge = authenticateChallenge.out.parse(body)
  if (!challenge.webauthn_challenge) throw new Error('no challenge for a key')
  return challenge.webauthn_challenge.publicKey
}
const register = async (api: ProxyApi, token: string, deviceType: 'totp' | 'webauthn', deviceUsage: 'mfa' | 'passwordless' = 'mfa') =>
  registerChallenge.out.parse((await api.browser().call(registerChallenge, { params: { token }, body: { deviceType, deviceUsage } })).body)
const creationIn = ({ webauthn }: RegisterChallenge) => {
  if (!webauthn) throw new Error('no challenge to make a key')
  return webauthn.publicKey
}
async function addKey(api: ProxyApi, browser: ApiBrowser, token: string, deviceName: string, deviceUsage: 'mfa' | 'passwordless' = 'mfa') {
  const key = new SoftwareKey()
  const options = creationIn(await register(api, token, 'webauthn', deviceUsage))
  const answer = await browser.call(addDevice, {
    body: { tokenId: token, deviceName, webauthnRegisterResponse: key.create(options, { origin: api.origin }), deviceUsage },
  })
  return { key, answer, options }
}
async function addApp(api: ProxyApi, browser: ApiBrowser, token: string, deviceName: string) {
  const { totp } = await register(api, token, 'totp')
  const secretOf = totp?.secret ?? ''
  const answer = await browser.call(addDevice, {
    body: { tokenId: token, deviceName, secondFactorToken: await codeOf(api, secretOf) },
  })
  return { answer, secret: secretOf }
}
const namesOf = async (browser: ApiBrowser): Promise<string[]> =>
  devices.out.parse((await browser.call(devices)).body).map(({ name }) => name)
const remove = (api: ProxyApi, token: string, name: string) => api.browser().call(removeDevice, { params: { token, name } })

test('R7-112: a code gives a token of five minutes, once; a wrong or used code does not', async () => {
  await using api = await openProxyApi()
  const { browser, secret } = await withApp(api)
  const code = await codeOf(api, secret)
  const made = await ask(browser, { secondFactorToken: code })
  expect(made).toMatchObject({ status: 200, body: expect.stringMatching(/^[0-9a-f]{32}$/) })
  expect(await api.events('T6002I')).toMatchObject([{ user: 'alice', name: 'alice', ttl: '5m0s' }])
  expect(await ask(browser, { secondFactorToken: code })).toMatchObject({ status: 403, message: 'previously used totp token' })
  expect(await ask(browser, { secondFactorToken: '000000' })).toMatchObject({ status: 403, message: 'wrong one-time code' })
  expect(await api.events('T6002I')).toHaveLength(1)

  const token = String(made.body)
  api.clock.advance(5 * minute + 1000)
  expect(await api.browser().call(registerChallenge, { params: { token }, body: { deviceType: 'totp' } })).toMatchObject({
    status: 403,
    message: 'invalid token',
  })
})
test('R7-112: five wrong codes lock the account, which the answer says', async () => {
  await using api = await openProxyApi()
  const { browser, secret } = await withApp(api)
  for (let guess = 0; guess < 5; guess += 1) expect(await ask(browser, { secondFactorToken: '000000' })).toMatchObject({ status: 403 })
  expect(await ask(browser, { secondFactorToken: await codeOf(api, secret) })).toMatchObject({
    status: 403,
    message: 'too many incorrect attempts, please try again later',
    body: { fields: { 'maxed-attempts': true } },
  })
  expect(await api.context.lockout.isLocked('alice')).toBe(true)
})
test('R7-113: a key gives a token; its answer counts once and for its owner only', async () => {
  await using api = await openProxyApi()
  const { browser, assertion } = await withKey(api)
  const bob = await withApp(api, 'bob')
  const used = await assertion()
  expect(await ask(bob.browser, { webauthnAssertionResponse: used })).toMatchObject({ status: 403 })
  expect(await ask(browser, { webauthnAssertionResponse: used })).toMatchObject({ status: 200, body: expect.any(String) })
  expect(await ask(browser, { webauthnAssertionResponse: used })).toMatchObject({ status: 403 })
})
test('R7-114: without a proof only somebody without a device gets a token, which adds a device and does nothing else', async () => {
  await using api = await openProxyApi({ secondFactor: 'optional' })
  const { browser: alice } = await withApp(api)
  expect(await ask(alice, {})).toMatchObject({ status: 400, message: 'second factor authentication required' })
  const bob = await withPasswordOnly(api)
  const token = String((await bob.send('POST', '/v1/webapi/users/privilege/token', {})).body)
  expect(await remove(api, token, 'otp')).toMatchObject({ status: 403, message: 'invalid token' })
  expect(await api.browser().call(renameDevice, { params: { token, name: 'otp' }, body: { name: 'x' } })).toMatchObject({ status: 403 })
  expect((await addApp(api, bob, token, 'phone')).answer).toMatchObject({ status: 200 })
  expect(await bob.send('POST', '/v1/webapi/users/privilege/token')).toMatchObject({ status: 400 })
})
test('with second factors off nobody gets a token', async () => {
  await using api = await openProxyApi({ secondFactor: 'off' })
  expect(await ask(await withPasswordOnly(api), {})).toMatchObject({ status: 403, message: 'second factor must be enabled' })
})

test('R7-127, R8-071: a key and an app are added with a token each, which is used up', async () => {
  await using api = await openProxyApi()
  const { browser, privilege } = await withApp(api)
  const token = await privilege()
  const { answer, options, key } = await addKey(api, browser, token, 'key of the desk')
  expect(answer).toMatchObject({ status: 200, body: { message: 'ok' } })
  expect(options.excludeCredentials ?? []).toEqual([])
  expect(await namesOf(browser)).toEqual(['otp', 'key of the desk'])
  expect((await api.events('T1006I')).at(-1)).toMatchObject({
    user: 'alice',
    mfa_device_name: 'key of the desk',
    mfa_device_type: 'WebAuthn',
  })
  expect(await api.browser().call(registerChallenge, { params: { token }, body: { deviceType: 'totp' } })).toMatchObject({ status: 403 })
  const second = await privilege()
  expect(creationIn(await register(api, second, 'webauthn')).excludeCredentials).toHaveLength(1)
  expect(creationIn(await register(api, second, 'webauthn', 'passwordless')).excludeCredentials ?? []).toEqual([])
  expect((await addApp(api, browser, second, 'tablet')).answer).toMatchObject({ status: 200 })
  // The new key is a proof from now on.
  const assertion = key.get(optionsIn(await browser.call(authenticateChallenge)), { origin: api.origin })
  expect(await ask(browser, { webauthnAssertionResponse: assertion })).toMatchObject({ status: 200 })
})
test('what is wrong with a new device leaves it out, and the token as it was', async () => {
  await using api = await openProxyApi()
  const { browser, privilege } = await withApp(api)
  const bob = await withKey(api, 'bob')
  const token = await privilege()
  const { totp } = await register(api, token, 'totp')
  const attempt = async (by: ApiBrowser, body: Record<string, string>) => {
    const answer = await by.send('POST', '/v1/webapi/mfa/devices', { tokenId: token, deviceName: 'new', ...body })
    return `${answer.status} ${answer.message}`
  }
  expect(await attempt(browser, {})).toBe('400 missing new mfa credentials')
  expect(await attempt(browser, { secondFactorToken: '000000' })).toMatch(/^400 the code does not match/)
  const good = { secondFactorToken: await codeOf(api, totp?.secret ?? '') }
  expect(await attempt(browser, { ...good, deviceName: 'otp' })).toBe('409 MFA device with name "otp" already exists')
  expect(await attempt(browser, { ...good, deviceName: '' })).toBe('400 missing device name')
  expect(await attempt(browser, { ...good, deviceName: 'x'.repeat(31) })).toMatch(/^400 deviceName: /)
  expect(await attempt(browser, { ...good, deviceUsage: 'passwordless' })).toBe('400 passwordless: missing webauthn credentials')
  expect(await attempt(browser, { ...good, tokenId: '0'.repeat(32) })).toBe('403 invalid token')
  expect(await attempt(browser, { ...good, tokenId: await api.invite('carol') })).toBe('403 invalid token')
  expect(await attempt(bob.browser, good)).toBe('403 invalid token')
  expect(await attempt(browser, good)).toBe('200 ')
})
test('a passkey is added and signs in without a password; a key for second factors is none', async () => {
  await using api = await openProxyApi()
  const { browser, privilege } = await withApp(api)
  const token = await privilege()
  const options = creationIn(await register(api, token, 'webauthn', 'mfa'))
  const webauthnRegisterResponse = new SoftwareKey().create(options, { origin: api.origin })
  expect(
    await browser.call(addDevice, {
      body: { tokenId: token, deviceName: 'passkey', webauthnRegisterResponse, deviceUsage: 'passwordless' },
    }),
  ).toMatchObject({ status: 400, message: 'passwordless: the key was not registered for a sign-in without a password' })
  expect((await addKey(api, browser, token, 'passkey', 'passwordless')).answer).toMatchObject({ status: 200 })
  expect((await browser.call(devices)).body).toMatchObject([{ residentKey: false }, { name: 'passkey', residentKey: true }])
})

test('R7-125, R8-072: a device is removed by its name or id; the token is used up', async () => {
  await using api = await openProxyApi()
  const { browser, privilege } = await withApp(api)
  await addKey(api, browser, await privilege(), 'a/b & ü')
  await addKey(api, browser, await privilege(), 'second')
  const token = await privilege()
  expect(await remove(api, token, 'nothing')).toMatchObject({ status: 404, message: 'MFA device "nothing" does not exist' })
  expect(await remove(api, token, 'a/b & ü')).toMatchObject({ status: 200, body: { message: 'ok' } })
  expect(await remove(api, token, 'otp')).toMatchObject({ status: 403, message: 'invalid token' })
  expect(await api.events('T1007I')).toMatchObject([{ user: 'alice', mfa_device_name: 'a/b & ü', mfa_device_type: 'WebAuthn' }])
  const { id } = devices.out.parse((await browser.call(devices)).body).find(({ name }) => name === 'second') ?? { id: '' }
  expect(await remove(api, await privilege(), id)).toMatchObject({ status: 200 })
  expect(await namesOf(browser)).toEqual(['otp'])
  expect(await browser.call(userStatus)).toMatchObject({ status: 200 })
})
test.each([
  ['on', 'cannot delete the last MFA device for this user; add a replacement device first to avoid getting locked out'],
  ['otp', 'cannot delete the last otp device for this user; add a replacement device first to avoid getting locked out'],
  ['optional', undefined],
] satisfies [SecondFactor, string | undefined][])('R7-125: the last app under mode %s', async (secondFactor, refusal) => {
  await using api = await openProxyApi({ secondFactor })
  const { browser, privilege } = await withApp(api)
  const answer = await remove(api, await privilege(), 'otp')
  expect(answer).toMatchObject(refusal === undefined ? { status: 200 } : { status: 400, message: refusal })
  expect(await namesOf(browser)).toEqual(refusal === undefined ? [] : ['otp'])
})
test('R7-125: the last key under mode webauthn stays, the one before it goes', async () => {
  await using api = await openProxyApi({ secondFactor: 'webauthn' })
  const { browser, privilege } = await withKey(api)
  await addKey(api, browser, await privilege(), 'second')
  expect(await remove(api, await privilege(), 'second')).toMatchObject({ status: 200 })
  expect(await remove(api, await privilege(), 'webauthn')).toMatchObject({
    status: 400,
    message: 'cannot delete the last webauthn device for this user; add a replacement device first to avoid getting locked out',
  })
})
test('the last passkey of an account without a password stays, whatever other devices there are', async () => {
  await using api = await openProxyApi({ secondFactor: 'optional' })
  const { browser, key } = await setUpWithKey(api, 'alice', 'passwordless')
  browser.bearer = await pageBearer(api, browser)
  const privilege = async () =>
    privilegeOf(browser, {
      webauthnAssertionResponse: key.get(optionsIn(await browser.call(authenticateChallenge)), { origin: api.origin }),
    })
  await addApp(api, browser, await privilege(), 'phone')
  expect(await remove(api, await privilege(), 'webauthn')).toMatchObject({
    status: 400,
    message: 'cannot delete last passwordless credential for user',
  })
})
test('of two removals at the same time with one token one happens', async () => {
  await using api = await openProxyApi({ secondFactor: 'optional' })
  const { browser, privilege } = await withApp(api)
  await addKey(api, browser, await privilege(), 'key')
  const token = await privilege()
  const answers = await Promise.all([remove(api, token, 'otp'), remove(api, token, 'key')])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403])
  expect(await namesOf(browser)).toHaveLength(1)
})

test('a device gets another name, which must be free', async () => {
  await using api = await openProxyApi()
  const { browser, privilege } = await withApp(api)
  await addKey(api, browser, await privilege(), 'key')
  const token = await privilege()
  const rename = (name: string, to: string) => api.browser().call(renameDevice, { params: { token, name }, body: { name: to } })
  expect(await rename('otp', 'key')).toMatchObject({ status: 409, message: 'MFA device with name "key" already exists' })
  expect(await rename('otp', '')).toMatchObject({ status: 400, message: 'missing device name' })
  expect(await rename('none', 'x')).toMatchObject({ status: 404 })
  expect(await rename('otp', 'phone of work')).toMatchObject({ status: 200 })
  expect(await namesOf(browser)).toEqual(['phone of work', 'key'])
  expect(await api.events('TCMFA001I')).toMatchObject([{ user: 'alice', mfa_device_name: 'phone of work', previous_name: 'otp' }])
  expect(await rename('key', 'x')).toMatchObject({ status: 403, message: 'invalid token' })
})

test('users of an identity provider keep devices as well', async () => {
  await using api = await openProxyApi({ secondFactor: 'optional' })
  const connector = { type: 'oidc' as const, id: 'okta', identity: 'eve@example.com' }
  await api.context.users.create({ metadata: { name: 'eve' }, spec: { roles: ['access'], created_by: { connector } } })
  const person = await api.context.people.find('eve')
  if (!person) throw new Error('eve is not there')
  const { cookie, answer } = await api.context.sessions.start(person, '10.0.0.1', 'test')
  const eve = api.browser()
  eve.cookies.set('__Host-session', encodeSessionCookie(cookie))
  eve.bearer = answer.token
  const { key, answer: added } = await addKey(api, eve, String((await ask(eve, {})).body), 'key')
  expect(added).toMatchObject({ status: 200 })
  const webauthnAssertionResponse = key.get(optionsIn(await eve.call(authenticateChallenge)), { origin: api.origin })
  expect(await remove(api, await privilegeOf(eve, { webauthnAssertionResponse }), 'key')).toMatchObject({ status: 200 })
})
