import { authenticateChallengePassword, registerChallenge } from '@sallyport/wire/calls/mfa.ts'
import { userStatus } from '@sallyport/wire/calls/session.ts'
import { changePassword, completeUserToken, createUserToken, readUserToken } from '@sallyport/wire/calls/users.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { base64, codeOf, pageBearer, setUpWithApp, setUpWithKey, signedIn, signInWithApp } from '@sallyport/testkit/proxy-people.ts'
import { SoftwareKey } from '@sallyport/testkit/software-key.ts'
import { expect, test } from 'vitest'

const minute = 60_000
const read = async (api: ProxyApi, tokenId: string) =>
  readUserToken.out.parse((await api.browser().call(readUserToken, { params: { tokenId } })).body)

test('R7-107: a link is made for an invite and a reset; an unknown user and kind are refused, and so is a caller without the right', async () => {
  await using api = await openProxyApi()
  const alice = await signedIn(api, 'alice')
  const bob = await signedIn(api, 'bob')
  const made = await alice.call(createUserToken, { body: { name: 'bob', type: 'password' } })
  expect(made).toMatchObject({
    status: 200,
    body: { tokenId: expect.stringMatching(/^[0-9a-f]{32}$/), user: 'bob', expiry: expect.stringMatching(/Z$/) },
  })
  expect(Date.parse(createUserToken.out.parse(made.body).expiry) - api.clock.now()).toBeGreaterThan(7.9 * 60 * minute)
  expect(await bob.call(userStatus)).toMatchObject({ status: 403 })
  expect(await alice.call(createUserToken, { body: { name: 'nobody', type: 'invite' } })).toMatchObject({ status: 404 })
  expect(await alice.send('POST', '/v1/webapi/users/password/token', { name: 'bob', type: 'x' })).toMatchObject({ status: 400 })
  const carol = await signedIn(api, 'carol')
  expect(await carol.call(createUserToken, { body: { name: 'alice', type: 'password' } })).toMatchObject({
    status: 403,
    message: 'access denied to perform action "update" on "user"',
  })
  expect((await api.events('T6000I')).at(-2)).toMatchObject({ name: 'bob', user: 'alice' })
})
test('R7-108: a link can be read by anybody who has it, with a new secret each time; others get 403', async () => {
  await using api = await openProxyApi()
  const token = await api.invite('alice')
  const first = await read(api, token)
  const second = await read(api, token)
  expect(first).toMatchObject({
    tokenId: token,
    user: 'alice',
    expiry: '0001-01-01T00:00:00Z',
    totpSecret: expect.stringMatching(/^[A-Z2-7]{32}$/),
  })
  expect(second.totpSecret).not.toBe(first.totpSecret)
  const image = Buffer.from(first.qrCode, 'base64')
  expect([image.readUInt32BE(16), image.readUInt32BE(20)]).toEqual([456, 456])
  expect(await api.browser().call(readUserToken, { params: { tokenId: '0'.repeat(32) } })).toMatchObject({
    status: 403,
    message: 'bad or expired token',
  })
  api.clock.advance(61 * minute)
  expect(await api.browser().call(readUserToken, { params: { tokenId: token } })).toMatchObject({
    status: 403,
    message: 'bad or expired token',
  })
})
test('R5-004, R7-109: completing sets password and device and signs in by cookie; the link is used up', async () => {
  await using api = await openProxyApi()
  const token = await api.invite('alice')
  const { totpSecret } = await read(api, token)
  const browser = api.browser().trustPage()
  const body = { token, password: base64('pässword of alice'), second_factor_token: await codeOf(api, totpSecret), deviceName: 'phone' }
  const done = await browser.call(completeUserToken, { body })
  expect(done).toMatchObject({ status: 200, body: { recovery: {} }, setCookies: [expect.stringContaining('__Host-session=')] })
  api.clock.advance(30_000)
  await expect(signInWithApp(api, { name: 'alice', password: 'pässword of alice', secret: totpSecret, browser })).resolves.toBeDefined()
  expect(await browser.call(completeUserToken, { body: { ...body, second_factor_token: await codeOf(api, totpSecret) } })).toMatchObject({
    status: 400,
    message: 'invalid token',
  })
  expect(await api.events('T1006I')).toMatchObject([{ user: 'alice', mfa_device_name: 'phone', mfa_device_type: 'TOTP' }])
  expect(await api.events('T1005I')).toMatchObject([{ user: 'alice' }])
  expect(await api.events('T1000I')).toHaveLength(2)
})
test('of two browsers that complete one link at the same time one gets through', async () => {
  await using api = await openProxyApi()
  const token = await api.invite('alice')
  const { totpSecret } = await read(api, token)
  const body = { token, password: base64('password'), second_factor_token: await codeOf(api, totpSecret) }
  const answers = await Promise.all([1, 2, 3].map(() => api.browser().trustPage().call(completeUserToken, { body })))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400])
})
test('what a link refuses, and leaves the account as it was', async () => {
  await using api = await openProxyApi()
  const token = await api.invite('alice')
  const stale = await read(api, token)
  const { totpSecret } = await read(api, token)
  const attempt = async (change: object, trusted = true) => {
    const browser = api.browser()
    if (trusted) browser.trustPage()
    const body = { token, password: base64('password'), second_factor_token: await codeOf(api, totpSecret), ...change }
    const { status, message } = await browser.send('PUT', '/v1/webapi/users/password/token', body)
    return `${status} ${message}`
  }
  expect(await attempt({}, false)).toBe('403 access denied')
  expect(await attempt({ token: 'f'.repeat(32) })).toBe('400 invalid token')
  expect(await attempt({ password: base64('short') })).toBe('400 password is too short, min length is 6')
  expect(await attempt({ password: base64('x'.repeat(129)) })).toBe('400 password is too long, max length is 128')
  expect(await attempt({ password: '%%' })).toMatch(/^400 password: /)
  expect(await attempt({ second_factor_token: null })).toBe('400 no second factor sent during user "alice" password reset')
  expect(await attempt({ second_factor_token: '000000' })).toMatch(/^400 the code does not match/)
  expect(await attempt({ second_factor_token: await codeOf(api, stale.totpSecret) })).toMatch(/^400 the code does not match/)
  expect(await attempt({ password: null })).toBe('400 passwordless: missing webauthn credentials')
  expect(await attempt({ deviceName: 'x'.repeat(31) })).toMatch(/^400 deviceName: /)
  const key = new SoftwareKey()
  const forged = key.create({ challenge: 'AAAA', rp: { id: 'localhost' }, user: { id: 'AAAA' } }, { origin: api.origin })
  expect(await attempt({ webauthnCreationResponse: forged })).toMatch(/^400 invalid Webauthn response/)
  expect(await attempt({})).toBe('200 ')
})
test('an expired link says so, a link of long ago is unknown', async () => {
  await using api = await openProxyApi()
  const token = await api.invite('alice')
  const complete = () =>
    api
      .browser()
      .trustPage()
      .call(completeUserToken, { body: { token, password: base64('password') } })
  api.clock.advance(61 * minute)
  expect(await complete()).toMatchObject({ status: 400, message: 'expired token' })
})
test('a new link makes the one before worthless', async () => {
  await using api = await openProxyApi()
  const first = await api.invite('alice')
  await api.context.accounts.reset('alice', 'invite', 'test')
  expect(await api.browser().call(readUserToken, { params: { tokenId: first } })).toMatchObject({ status: 403 })
})
test('with local sign-in off a link cannot be completed', async () => {
  await using api = await openProxyApi({ localAuth: false })
  const token = await api.invite('alice')
  expect(
    await api
      .browser()
      .trustPage()
      .call(completeUserToken, { body: { token, password: base64('password') } }),
  ).toMatchObject({ status: 403, message: 'local auth disabled' })
  expect(await api.events('T3007W')).toHaveLength(1)
})
test('a key that was made for second factors does not make an account without a password', async () => {
  await using api = await openProxyApi()
  const token = await api.invite('alice')
  const browser = api.browser().trustPage()
  const challenge = registerChallenge.out.parse(
    (await browser.call(registerChallenge, { params: { token }, body: { deviceType: 'webauthn', deviceUsage: 'mfa' } })).body,
  )
  if (!challenge.webauthn) throw new Error('no challenge for a key')
  const webauthnCreationResponse = new SoftwareKey().create(challenge.webauthn.publicKey, { origin: api.origin })
  expect(await browser.call(completeUserToken, { body: { token, password: '', webauthnCreationResponse } })).toMatchObject({ status: 400 })
})

test('R7-110, R8-038: the own password changes with the old one and a code; wrong ones are refused', async () => {
  await using api = await openProxyApi()
  const person = await setUpWithApp(api, 'alice')
  const alice = await signInWithApp(api, person)
  const other = await signInWithApp(api, person)
  const change = (old_password: string, new_password: string, second_factor_token?: string) =>
    alice.call(changePassword, {
      body: {
        old_password: base64(old_password),
        new_password: base64(new_password),
        ...(second_factor_token === undefined ? {} : { second_factor_token }),
      },
    })
  expect(await change('wrong', 'new password', await codeOf(api, person.secret))).toMatchObject({
    status: 403,
    message: 'invalid username, password or second factor',
  })
  expect(await change(person.password, 'new password', '000000')).toMatchObject({
    status: 403,
    message: 'invalid username, password or second factor',
  })
  expect(await change(person.password, 'new password')).toMatchObject({ status: 403, message: 'missing second factor' })
  expect(await change(person.password, 'short')).toMatchObject({ status: 400, message: 'password is too short, min length is 6' })
  expect(await change(person.password, 'new password', await codeOf(api, person.secret))).toMatchObject({
    status: 200,
    body: { message: 'ok' },
  })
  // One for the invite, one for the change; none for what was refused.
  expect(await api.events('T1005I')).toMatchObject([{ user: 'alice' }, { user: 'alice' }])
  expect(await alice.call(userStatus)).toMatchObject({ status: 200 })
  expect(await other.call(userStatus)).toMatchObject({ status: 403 })
  api.clock.advance(30_000)
  await expect(signInWithApp(api, person)).rejects.toThrow('invalid credentials')
  await expect(signInWithApp(api, { ...person, password: 'new password' })).resolves.toBeDefined()
})
test('R7-111: with a key, the key and the old password are both checked', async () => {
  await using api = await openProxyApi()
  const { key, password, browser } = await setUpWithKey(api, 'alice')
  browser.bearer = await pageBearer(api, browser)
  const challenge = async () => {
    const { webauthn_challenge: asked } = authenticateChallengePassword.out.parse(
      (await browser.call(authenticateChallengePassword, { body: { pass: password } })).body,
    )
    if (!asked) throw new Error('no challenge for a key')
    return key.get(asked.publicKey, { origin: api.origin })
  }
  const change = (old: string, webauthnAssertionResponse: ReturnType<SoftwareKey['get']>) =>
    browser.call(changePassword, { body: { old_password: base64(old), new_password: base64('new password'), webauthnAssertionResponse } })
  expect(await change('wrong', await challenge())).toMatchObject({ status: 403, message: 'invalid username or password' })
  const used = await challenge()
  expect(await change(password, used)).toMatchObject({ status: 200 })
  expect(await change('new password', used)).toMatchObject({ status: 403, message: 'invalid Webauthn response' })
})
