/** The cluster's second-factor mode, changed while the proxy runs: what each of the five asks for, everywhere. */
import { authenticateChallenge, beginSignIn, createPrivilegeToken, finishSignIn, registerChallenge } from '@sallyport/wire/calls/mfa.ts'
import { signIn } from '@sallyport/wire/calls/session.ts'
import { changePassword, completeUserToken, readUserToken } from '@sallyport/wire/calls/users.ts'
import type { SecondFactor } from '@sallyport/wire/config.ts'
import type { Assertion, Attestation } from '@sallyport/wire/entities/mfa.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { Answer, ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { base64, codeOf, setUpWithApp, signInWithApp } from '@sallyport/testkit/proxy-people.ts'
import { SoftwareKey } from '@sallyport/testkit/software-key.ts'
import { expect, test } from 'vitest'

async function setMode(api: ProxyApi, second_factor: SecondFactor): Promise<void> {
  const { revision } = api.context.settings.documents.read('cluster_auth_preference')
  await api.context.settings.documents.write('cluster_auth_preference', { second_factor }, revision)
}
const said = ({ status, message }: Answer): string => (status === 200 ? 'ok' : `${status} ${message}`)

/** alice with an app and a key, signed in; and bob with a password alone. */
async function openHouse() {
  const api = await openProxyApi()
  const alice = await setUpWithApp(api, 'alice')
  const browser = await signInWithApp(api, alice)
  const key = new SoftwareKey()
  const token = createPrivilegeToken.out.parse(
    (await browser.call(createPrivilegeToken, { body: { secondFactorToken: await codeOf(api, alice.secret) } })).body,
  )
  await browser.send('POST', '/v1/webapi/mfa/devices', {
    tokenId: token,
    deviceName: 'key',
    webauthnRegisterResponse: await attest(api, token, key),
  })
  await setMode(api, 'optional')
  const invite = await api.invite('bob')
  await api
    .browser()
    .trustPage()
    .call(completeUserToken, { body: { token: invite, password: base64('just a password') } })
  const code = (): Promise<string> => {
    api.clock.advance(60_000)
    return codeOf(api, alice.secret)
  }
  return { api, alice, browser, key, code }
}
/** Answers to challenges of a mode that takes keys. */
async function attest(api: ProxyApi, token: string, key = new SoftwareKey()): Promise<Attestation> {
  const { webauthn } = registerChallenge.out.parse(
    (await api.browser().call(registerChallenge, { params: { token }, body: { deviceType: 'webauthn' } })).body,
  )
  if (!webauthn) throw new Error('no challenge to make a key')
  return key.create(webauthn.publicKey, { origin: api.origin })
}
function answerWith(key: SoftwareKey, api: ProxyApi, { body }: Answer): Assertion {
  const { webauthn_challenge: challenge } = authenticateChallenge.out.parse(body)
  if (!challenge) throw new Error('no challenge for a key')
  return key.get(challenge.publicKey, { origin: api.origin })
}

const refused = '403 invalid credentials'
const wrongType = '403 unknown second factor type: "webauthn"'
test.each([
  ['off', { bare: 'ok', none: 'ok', code: 'ok', key: refused }],
  ['otp', { bare: refused, none: refused, code: 'ok', key: refused }],
  ['webauthn', { bare: wrongType, none: wrongType, code: wrongType, key: 'ok' }],
  ['on', { bare: refused, none: refused, code: 'ok', key: 'ok' }],
  ['optional', { bare: 'ok', none: refused, code: 'ok', key: 'ok' }],
] as const)('R1-025, R1-026: sign-in under %s', async (mode, expected) => {
  const { api, alice, key, code } = await openHouse()
  await using _closing = api
  const by = (user: string, pass: string, second_factor_token = '') =>
    api.browser().trustPage().call(signIn, { body: { user, pass, second_factor_token } }).then(said)
  const begun = await api.browser().call(beginSignIn, { body: { passwordless: false, user: 'alice', pass: alice.password } })
  const webauthnAssertionResponse = answerWith(key, api, begun)
  await setMode(api, mode)
  expect({
    bare: await by('bob', 'just a password'),
    none: await by('alice', alice.password),
    code: await by('alice', alice.password, await code()),
    key: said(await api.browser().call(finishSignIn, { body: { user: 'alice', webauthnAssertionResponse } })),
  }).toEqual(expected)
  const offered = beginSignIn.out.parse(
    (await api.browser().call(beginSignIn, { body: { passwordless: false, user: 'alice', pass: alice.password } })).body,
  )
  expect([offered.webauthn_challenge !== null, offered.totp_challenge]).toEqual([
    ['webauthn', 'on', 'optional'].includes(mode),
    ['otp', 'on', 'optional'].includes(mode),
  ])
})

const nothingSent = '400 no second factor sent during user "carol" password reset'
const noCodes = '400 second factor TOTP not allowed by cluster'
const noKeys = '400 second factor webauthn not allowed by cluster'
test.each([
  ['off', { none: 'ok', code: 'ok', key: 'ok' }],
  ['otp', { none: nothingSent, code: 'ok', key: noKeys }],
  ['webauthn', { none: nothingSent, code: noCodes, key: 'ok' }],
  ['on', { none: nothingSent, code: 'ok', key: 'ok' }],
  ['optional', { none: 'ok', code: 'ok', key: 'ok' }],
] as const)('R1-026: setting up an account under %s', async (mode, expected) => {
  await using api = await openProxyApi()
  await api.invite('carol')
  async function attempt(kind: 'none' | 'code' | 'key'): Promise<string> {
    await setMode(api, 'on')
    const { tokenId: token } = await api.context.accounts.reset('carol', 'invite', 'test')
    const { totpSecret } = readUserToken.out.parse((await api.browser().call(readUserToken, { params: { tokenId: token } })).body)
    const proof = {
      none: {},
      code: { second_factor_token: await codeOf(api, totpSecret) },
      key: { webauthnCreationResponse: await attest(api, token) },
    }[kind]
    await setMode(api, mode)
    const answer = await api
      .browser()
      .trustPage()
      .call(completeUserToken, { body: { token, password: base64('a password'), ...proof } })
    const devices = await api.context.devices.of('carol')
    expect(devices).toHaveLength(answer.status === 200 && kind !== 'none' && mode !== 'off' ? 1 : 0)
    return said(answer)
  }
  expect({ none: await attempt('none'), code: await attempt('code'), key: await attempt('key') }).toEqual(expected)
})

const missing = '403 missing second factor'
test.each([
  ['off', { none: 'ok', code: 'ok', key: 'ok' }],
  ['otp', { none: missing, code: 'ok', key: missing }],
  ['webauthn', { none: missing, code: missing, key: 'ok' }],
  ['on', { none: missing, code: 'ok', key: 'ok' }],
  ['optional', { none: '403 missing second factor authentication', code: 'ok', key: 'ok' }],
] as const)('R7-110, R7-111: changing the own password under %s', async (mode, expected) => {
  const { api, alice, browser, key, code } = await openHouse()
  await using _closing = api
  let current = alice.password
  async function attempt(proof: { second_factor_token?: string; webauthnAssertionResponse?: Assertion }): Promise<string> {
    await setMode(api, mode)
    const next = `${current}!`
    const answer = await browser.call(changePassword, {
      body: { old_password: base64(current), new_password: base64(next), ...proof },
    })
    if (answer.status === 200) current = next
    await setMode(api, 'on')
    return said(answer)
  }
  const webauthnAssertionResponse = answerWith(key, api, await browser.call(authenticateChallenge))
  expect({
    none: await attempt({}),
    code: await attempt({ second_factor_token: await code() }),
    key: await attempt({ webauthnAssertionResponse }),
  }).toEqual(expected)
})

const required = '400 second factor authentication required'
const off = '403 second factor must be enabled'
const code = '403 the cluster takes no one-time codes'
const keys = '403 the cluster takes no keys'
test.each([
  ['off', { none: off, code: off, key: off }],
  ['otp', { none: required, code: 'ok', key: keys }],
  ['webauthn', { none: required, code, key: 'ok' }],
  ['on', { none: required, code: 'ok', key: 'ok' }],
  ['optional', { none: required, code: 'ok', key: 'ok' }],
] as const)('R1-026: proving again who one is under %s', async (mode, expected) => {
  const { api, browser, key, code: nextCode } = await openHouse()
  await using _closing = api
  const webauthnAssertionResponse = answerWith(key, api, await browser.call(authenticateChallenge))
  await setMode(api, mode)
  const attempt = (body: { secondFactorToken?: string; webauthnAssertionResponse?: Assertion }) =>
    browser.call(createPrivilegeToken, { body }).then(said)
  expect({
    none: await attempt({}),
    code: await attempt({ secondFactorToken: await nextCode() }),
    key: await attempt({ webauthnAssertionResponse }),
  }).toEqual(expected)
})
