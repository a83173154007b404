/** Recovery codes, and the way back into an account with one. */
import { beginSignIn, createPrivilegeToken, registerChallenge, removeDevice } from '@sallyport/wire/calls/mfa.ts'
import {
  completeRecovery,
  createRecoveryCodes,
  recoveryChallenge,
  recoveryCodes,
  recoveryDevices,
  startRecovery,
  verifyRecovery,
} from '@sallyport/wire/calls/recovery.ts'
import { signIn, userStatus } from '@sallyport/wire/calls/session.ts'
import { completeUserToken, readUserToken } from '@sallyport/wire/calls/users.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { Answer, ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { base64, codeOf, pageBearer } from '@sallyport/testkit/proxy-people.ts'
import { SoftwareKey } from '@sallyport/testkit/software-key.ts'
import { expect, test } from 'vitest'

const minute = 60_000
const password = 'alice opens the sally port'

/** A cluster that gives recovery codes, and alice with hers, an app, and a browser in which she is signed in. */
async function openHouse() {
  const api = await openProxyApi()
  await api.context.settings.documents.write('cluster_auth_preference', { recovery_codes: true }, '')
  const token = await api.invite('alice')
  const browser = api.browser().trustPage()
  const { totpSecret: secret } = readUserToken.out.parse((await browser.call(readUserToken, { params: { tokenId: token } })).body)
  const body = { token, password: base64(password), second_factor_token: await codeOf(api, secret) }
  const { recovery } = completeUserToken.out.parse((await browser.call(completeUserToken, { body })).body)
  browser.bearer = await pageBearer(api, browser)
  api.clock.advance(minute)
  return { api, secret, browser, codes: recovery.codes ?? [] }
}
const from = (api: ProxyApi) => api.browser().trustPage()
const start = (api: ProxyApi, code: string, lost: 'password' | 'mfa', user = 'alice') =>
  from(api).call(startRecovery, { body: { user, code, lost } })
const tokenIn = ({ body }: Answer): string => startRecovery.out.parse(body).tokenId
const verify = (api: ProxyApi, token: string, proof: { password?: string; second_factor_token?: string }) =>
  from(api).call(verifyRecovery, { params: { token }, body: proof })
const signInWith = async (api: ProxyApi, pass: string, code: string) =>
  from(api).call(signIn, { body: { user: 'alice', pass, second_factor_token: code } })

test('R3-121, R8-076: three codes of eight words come with the first device, are told once and stored nowhere', async () => {
  const { api, codes, browser } = await openHouse()
  await using _closing = api
  expect(codes).toHaveLength(3)
  for (const code of codes) expect(code).toMatch(/^([a-z]{5}-){7}[a-z]{5}$/)
  expect(await api.events('T1008I')).toMatchObject([{ user: 'alice' }])
  const rows = await api.context.db.selectFrom('recovery_codes').selectAll().execute()
  for (const code of codes) expect(JSON.stringify(rows)).not.toContain(code)
  expect(await browser.call(recoveryCodes)).toMatchObject({ status: 200, body: { created: expect.stringMatching(/Z$/) } })
})
test('where they are off nobody gets codes, and nobody recovers anything', async () => {
  await using api = await openProxyApi()
  expect(await start(api, 'x', 'mfa')).toMatchObject({ status: 403, message: 'account recovery is not enabled on this cluster' })
  const invalid = { status: 403, message: 'invalid token' }
  expect(await from(api).call(recoveryChallenge, { params: { token: 'x' } })).toMatchObject(invalid)
  expect(await from(api).call(recoveryDevices, { params: { token: 'x' } })).toMatchObject(invalid)
})
test('R7-122, R8-075, R8-076: a lost password: a code, the second factor, a new password; every sign-in ends and the codes are new', async () => {
  const { api, secret, browser, codes } = await openHouse()
  await using _closing = api
  const started = await start(api, ` ${codes[0]?.toUpperCase().replaceAll('-', ' ')} `, 'password')
  expect(started).toMatchObject({ status: 200, body: { tokenId: expect.stringMatching(/^[0-9a-f]{64}$/) } })
  const token = tokenIn(started)
  expect(await from(api).call(recoveryChallenge, { params: { token } })).toMatchObject({
    status: 200,
    body: { webauthn_challenge: null, totp_challenge: true },
  })
  expect(await verify(api, token, { second_factor_token: '000000' })).toMatchObject({
    status: 403,
    message: 'the second factor was not accepted',
  })
  expect(await verify(api, token, { password: base64(password) })).toMatchObject({ status: 403 })
  const approved = tokenIn(await verify(api, token, { second_factor_token: await codeOf(api, secret) }))
  expect(await from(api).call(recoveryChallenge, { params: { token } })).toMatchObject({ status: 403, message: 'invalid token' })
  const complete = (text: string) => from(api).call(completeRecovery, { params: { token: approved }, body: { password: base64(text) } })
  expect(await complete('short')).toMatchObject({ status: 400, message: 'password is too short, min length is 6' })
  // A token for a password does nothing to devices.
  expect(await from(api).call(recoveryDevices, { params: { token: approved } })).toMatchObject({ status: 403, message: 'invalid token' })
  expect(await api.browser().call(registerChallenge, { params: { token: approved }, body: { deviceType: 'totp' } })).toMatchObject({
    status: 403,
  })
  const done = await complete('a new password')
  expect(done).toMatchObject({
    status: 200,
    setCookies: [],
    body: { recovery: { codes: [expect.any(String), {}, {}].map(() => expect.any(String)) } },
  })
  expect(await complete('once more')).toMatchObject({ status: 403, message: 'invalid token' })
  expect(await browser.call(userStatus)).toMatchObject({ status: 403 })
  expect(await start(api, codes[1] ?? '', 'password')).toMatchObject({ status: 403 })
  api.clock.advance(minute)
  expect(await signInWith(api, password, await codeOf(api, secret))).toMatchObject({ status: 403 })
  expect(await signInWith(api, 'a new password', await codeOf(api, secret, 1))).toMatchObject({ status: 200 })
  expect(await api.events('T1009I')).toMatchObject([{ user: 'alice', success: true }])
  expect(await api.events('T6001I')).toMatchObject([
    { name: 'alice', ttl: '3h0m0s' },
    { name: 'alice', ttl: '15m0s' },
  ])
})
test('R7-124: a lost second factor: a code, the password, a new device; then the lost one can be removed', async () => {
  const { api, codes } = await openHouse()
  await using _closing = api
  const started = tokenIn(await start(api, codes[0] ?? '', 'mfa'))
  expect(await from(api).call(recoveryDevices, { params: { token: started } })).toMatchObject({ status: 403 })
  expect(await verify(api, started, { password: base64('wrong') })).toMatchObject({ status: 403, message: 'the password was not accepted' })
  const token = tokenIn(await verify(api, started, { password: base64(password) }))
  expect(await from(api).call(recoveryDevices, { params: { token } })).toMatchObject({ status: 200, body: [{ name: 'otp' }] })
  expect(await from(api).call(removeDevice, { params: { token, name: 'otp' } })).toMatchObject({
    status: 400,
    message: expect.stringMatching(/^cannot delete the last MFA device/),
  })
  const { webauthn } = registerChallenge.out.parse(
    (await api.browser().call(registerChallenge, { params: { token }, body: { deviceType: 'webauthn' } })).body,
  )
  if (!webauthn) throw new Error('no challenge to make a key')
  const webauthnCreationResponse = new SoftwareKey().create(webauthn.publicKey, { origin: api.origin })
  const complete = () => from(api).call(completeRecovery, { params: { token }, body: { webauthnCreationResponse, deviceName: 'new key' } })
  expect(await from(api).call(completeRecovery, { params: { token }, body: { deviceName: 'x' } })).toMatchObject({
    status: 400,
    message: 'missing new mfa credentials',
  })
  expect(await complete()).toMatchObject({ status: 200 })
  expect(await complete()).toMatchObject({ status: 403, message: 'invalid token' })
  expect(await api.browser().call(registerChallenge, { params: { token }, body: { deviceType: 'totp' } })).toMatchObject({ status: 403 })
  expect(await from(api).call(removeDevice, { params: { token, name: 'otp' } })).toMatchObject({ status: 200 })
  expect(await from(api).call(recoveryDevices, { params: { token } })).toMatchObject({ body: [{ name: 'new key' }] })
  const begun = await from(api).call(beginSignIn, { body: { passwordless: false, user: 'alice', pass: password } })
  expect(begun).toMatchObject({ body: { webauthn_challenge: {}, totp_challenge: false } })
  api.clock.advance(16 * minute)
  expect(await from(api).call(recoveryDevices, { params: { token } })).toMatchObject({ status: 403 })
})
test('R8-076: a code works once, for its owner; an unknown user hears the same', async () => {
  const { api, codes } = await openHouse()
  await using _closing = api
  const refused = { status: 403, message: 'invalid user name or recovery code' }
  await api.invite('bob')
  expect(await start(api, codes[0] ?? '', 'mfa', 'bob')).toMatchObject(refused)
  expect(await start(api, codes[0] ?? '', 'mfa', 'nobody')).toMatchObject(refused)
  expect(await start(api, codes[0] ?? '', 'mfa')).toMatchObject({ status: 200 })
  expect(await start(api, codes[0] ?? '', 'mfa')).toMatchObject(refused)
  expect(await api.events('T1009W')).toHaveLength(3)
})
test('of two who use one code at the same time one gets through', async () => {
  const { api, codes } = await openHouse()
  await using _closing = api
  const answers = await Promise.all([start(api, codes[0] ?? '', 'mfa'), start(api, codes[0] ?? '', 'mfa')])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403])
})
test('three failures lock recovery and sign-in', async () => {
  const { api, secret, codes } = await openHouse()
  await using _closing = api
  expect(await start(api, 'wrong', 'mfa')).toMatchObject({ status: 403, message: 'invalid user name or recovery code' })
  expect(await start(api, 'wrong', 'mfa')).toMatchObject({ status: 403, message: 'invalid user name or recovery code' })
  const locked = {
    status: 403,
    message: 'too many incorrect attempts, please try again later',
    body: { fields: { 'maxed-attempts': true } },
  }
  expect(await start(api, 'wrong', 'mfa')).toMatchObject(locked)
  expect(await start(api, codes[0] ?? '', 'mfa')).toMatchObject(locked)
  expect(await signInWith(api, password, await codeOf(api, secret))).toMatchObject({ status: 403 })
  api.clock.advance(21 * minute)
  expect(await signInWith(api, password, await codeOf(api, secret))).toMatchObject({ status: 200 })
  expect(await start(api, codes[0] ?? '', 'mfa')).toMatchObject({ status: 200 })
})
test('what is left must be able to prove something: the code stays good and its owner is told', async () => {
  const { api, codes } = await openHouse()
  await using _closing = api
  await api.context.db.updateTable('credentials').set({ password_hash: null }).execute()
  expect(await start(api, codes[0] ?? '', 'mfa')).toMatchObject({
    status: 400,
    message: 'this account has no password to recover its second factor with',
  })
  expect(await start(api, codes[0] ?? '', 'password')).toMatchObject({ status: 200 })
})
test('new codes need a fresh proof, which is used up, and replace the old ones', async () => {
  const { api, secret, browser, codes } = await openHouse()
  await using _closing = api
  const proof = async () =>
    createPrivilegeToken.out.parse(
      (await browser.call(createPrivilegeToken, { body: { secondFactorToken: await codeOf(api, secret) } })).body,
    )
  const tokenId = await proof()
  const make = () => browser.call(createRecoveryCodes, { body: { tokenId } })
  const made = await make()
  expect(made).toMatchObject({ status: 200 })
  expect(await make()).toMatchObject({ status: 403, message: 'invalid token' })
  expect(await start(api, codes[0] ?? '', 'mfa')).toMatchObject({ status: 403 })
  expect(await start(api, createRecoveryCodes.out.parse(made.body).codes[0] ?? '', 'mfa')).toMatchObject({ status: 200 })
  expect(await api.events('T1008I')).toHaveLength(2)
})
test('a reset by an administrator takes the codes away', async () => {
  const { api, codes } = await openHouse()
  await using _closing = api
  await api.context.accounts.reset('alice', 'password', 'test')
  expect(await start(api, codes[0] ?? '', 'mfa')).toMatchObject({ status: 403 })
})
