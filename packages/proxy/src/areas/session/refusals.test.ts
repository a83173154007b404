/** Who has proved who they are and gets no session all the same, and who is not let try. */
import { beginSignIn, finishSignIn } from '@sallyport/wire/calls/mfa.ts'
import { signIn } from '@sallyport/wire/calls/session.ts'
import { completeUserToken, readUserToken } from '@sallyport/wire/calls/users.ts'
import { accountRateLimit } from '@sallyport/wire/limits.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { base64, codeOf, setUpWithApp, setUpWithKey, signInWithApp } from '@sallyport/testkit/proxy-people.ts'
import type { WithApp } from '@sallyport/testkit/proxy-people.ts'
import { expect, test } from 'vitest'

const attempt = async (api: ProxyApi, { name, password, secret }: WithApp) =>
  api
    .browser()
    .trustPage()
    .call(signIn, { body: { user: name, pass: password, second_factor_token: await codeOf(api, secret) } })
const giveRole = async (api: ProxyApi, name: string, spec: object): Promise<void> => {
  await api.context.roles.create({ metadata: { name: `role-of-${name}` }, spec })
  await api.context.accounts.change(
    name,
    (user) => ({ ...user, spec: { ...user.spec, roles: [...user.spec.roles, `role-of-${name}`] } }),
    'test',
  )
}

test('somebody whose every login is denied cannot sign in; roles that name no login at all are fine', async () => {
  await using api = await openProxyApi()
  const bob = await setUpWithApp(api, 'bob')
  const carol = await setUpWithApp(api, 'carol')
  await giveRole(api, 'bob', { allow: { logins: ['deploy'] }, deny: { logins: ['*'] } })
  expect(await attempt(api, bob)).toMatchObject({
    status: 403,
    message: 'this user cannot create SSH sessions, has no allowed logins',
    setCookies: [],
  })
  expect((await api.events('T1000W')).at(-1)).toMatchObject({
    user: 'bob',
    error: 'this user cannot create SSH sessions, has no allowed logins',
  })
  expect(await attempt(api, carol)).toMatchObject({ status: 200 })
})
test('where the cluster or a role wants keys on hardware, nobody signs in on the web, and an invite sets up the account alone', async () => {
  await using api = await openProxyApi()
  const bob = await setUpWithApp(api, 'bob')
  const carol = await setUpWithApp(api, 'carol')
  await giveRole(api, 'bob', { options: { require_session_mfa: 'hardware_key_touch' } })
  expect(await attempt(api, bob)).toMatchObject({ status: 400, message: 'private key policy not met: hardware_key_touch', setCookies: [] })
  api.clock.advance(30_000)
  expect(await attempt(api, carol)).toMatchObject({ status: 200 })

  await api.context.settings.documents.write('cluster_auth_preference', { require_session_mfa: 'hardware_key' }, '')
  api.clock.advance(30_000)
  expect(await attempt(api, carol)).toMatchObject({ status: 400, message: 'private key policy not met: hardware_key' })
  expect(await attempt(api, { ...carol, password: 'wrong' })).toMatchObject({ status: 403, message: 'invalid credentials' })
  expect((await api.events('T1000W')).at(-2)).toMatchObject({ user: 'carol', error: 'private key policy not met: hardware_key' })

  const token = await api.invite('dan')
  const browser = api.browser().trustPage()
  const { totpSecret } = readUserToken.out.parse((await browser.call(readUserToken, { params: { tokenId: token } })).body)
  const body = { token, password: base64('a password'), second_factor_token: await codeOf(api, totpSecret) }
  expect(await browser.call(completeUserToken, { body })).toMatchObject({
    status: 200,
    body: { recovery: {}, privateKeyPolicyEnabled: true },
    setCookies: [],
  })
  expect(await api.context.devices.of('dan')).toHaveLength(1)
})
test('a locked account is closed to a passkey as well', async () => {
  await using api = await openProxyApi()
  const { key } = await setUpWithKey(api, 'alice', 'passwordless')
  const withPasskey = async () => {
    const browser = api.browser()
    const challenge = beginSignIn.out.parse((await browser.call(beginSignIn, { body: { passwordless: true } })).body).webauthn_challenge
    if (!challenge) throw new Error('no challenge for a key')
    const webauthnAssertionResponse = key.get(challenge.publicKey, { origin: api.origin })
    return browser.call(finishSignIn, { body: { webauthnAssertionResponse } })
  }
  expect(await withPasskey()).toMatchObject({ status: 200 })
  await api.context.lockout.lock('alice')
  expect(await withPasskey()).toMatchObject({ status: 403, message: 'invalid credentials' })
})
test('attempts at one account are limited whatever addresses they come from, alike for users that do not exist', async () => {
  await using api = await openProxyApi()
  const bob = await setUpWithApp(api, 'bob')
  api.clock.hold()
  const guess = (user: string) =>
    api
      .browser()
      .trustPage()
      .call(signIn, { body: { user, pass: 'wrong' } })
  for (const user of ['carol', 'nobody']) {
    if (user === 'carol') await setUpWithApp(api, 'carol')
    for (let count = 0; count < accountRateLimit.burst; count += 1) expect(await guess(user)).toMatchObject({ status: 403 })
    expect(await guess(user)).toMatchObject({ status: 429, message: 'max rate reached: retry-in 0s' })
  }
  await expect(signInWithApp(api, bob)).resolves.toBeDefined()
  api.clock.advance(60_000)
  expect(await guess('carol')).toMatchObject({ status: 403 })
})
