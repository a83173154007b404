import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { parseCertificate } from '@sallyport/protocols/ssh/certificate.ts'
import type { Certificate } from '@sallyport/protocols/ssh/certificate.ts'
import { formatPublicKey, parsePublicKey } from '@sallyport/protocols/ssh/keys.ts'
import { verifyCertificate } from '@sallyport/protocols/ssh/verify-certificate.ts'
import { certificatesWire, finishCommandLine, signInCommandLine } from '@sallyport/wire/calls/certificates.ts'
import type { CertificatesWire } from '@sallyport/wire/calls/certificates.ts'
import { beginSignIn } from '@sallyport/wire/calls/mfa.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { codeOf, setUpWithApp, setUpWithKey } from '@sallyport/testkit/proxy-people.ts'
import type { WithApp } from '@sallyport/testkit/proxy-people.ts'
import { expect, test } from 'vitest'

const refused = { status: 403, message: 'invalid credentials' }
const newKey = (): string => Buffer.from(formatPublicKey(generateKeyPairSync('ed25519').publicKey)).toString('base64')
const text = (base64: string): string => Buffer.from(base64, 'base64').toString()
const sshOf = ({ cert }: CertificatesWire): Certificate => parseCertificate(Buffer.from(text(cert).split(' ')[1] ?? '', 'base64'))
const exported = async (api: ProxyApi, type: string): Promise<string> =>
  (await api.browser().send('GET', `/v1/webapi/auth/export?type=${type}`)).text

async function signIn(api: ProxyApi, person: WithApp, more: { ttl?: number } = {}): Promise<CertificatesWire> {
  const body = { user: person.name, password: person.password, otp_token: await codeOf(api, person.secret), pub_key: newKey(), ...more }
  const answer = await api.browser('10.7.7.7').call(signInCommandLine, { body })
  api.clock.advance(30_000)
  expect(answer.message).toBe('')
  return certificatesWire.parse(answer.body)
}

test('R8-081: password and code give certificates for the logins of the roles, signed by authorities that are told', async () => {
  await using api = await openProxyApi()
  const alice = await setUpWithApp(api, 'alice')
  const answer = await signIn(api, alice)
  const certificate = sshOf(answer)
  const authority = await exported(api, 'user')
  expect(answer.username).toBe('alice')
  expect(certificate.principals).toContain('root')
  expect(certificate.extensions.has('permit-pty')).toBe(true)
  expect(certificate.criticalOptions.size).toBe(0)
  verifyCertificate(certificate, { kind: 'user', trusted: [parsePublicKey(authority)], principals: ['root'], now: api.clock.now() })
  expect(
    text(answer.host_signers[0]?.checking_keys[0] ?? '')
      .split(' ')
      .slice(0, 2),
  ).toEqual((await exported(api, 'host')).split(' ').slice(2, 4))

  expect(await api.events('TC000I')).toMatchObject([{ cert_type: 'user', identity: { user: 'alice' } }])

  const tls = new X509Certificate(text(answer.tls_cert))
  expect(tls.verify(new X509Certificate(await exported(api, 'tls-user')).publicKey)).toBe(true)
  expect(tls.subject.split('\n')).toEqual(['CN=alice', 'O=editor', 'O=access', 'O=auditor'])
  expect((await api.browser().send('GET', '/v1/webapi/auth/export?type=toString')).status).toBe(400)
  const older = await api.browser().send('GET', '/v1/webapi/sites/sallyport/auth/export?type=host')
  expect(older.text).toBe(await exported(api, 'host'))
})

test('what hosts trust does not sign what people hold, so that nobody gets past roles and recording', async () => {
  await using api = await openProxyApi()
  const certificate = sshOf(await signIn(api, await setUpWithApp(api, 'alice')))
  const trusted = [parsePublicKey(await exported(api, 'openssh'))]
  expect(() => verifyCertificate(certificate, { kind: 'user', trusted, principals: ['root'], now: api.clock.now() })).toThrow()
})

test('R8-043: a wrong password or code is refused in the same words and audited; so is a key that cannot be certified', async () => {
  await using api = await openProxyApi()
  const alice = await setUpWithApp(api, 'alice')
  const send = (body: object) => api.browser().call(signInCommandLine, { body: { user: 'alice', pub_key: newKey(), ...body } })
  expect(await send({ password: 'wrong', otp_token: await codeOf(api, alice.secret) })).toMatchObject(refused)
  expect(await send({ password: alice.password, otp_token: '000000' })).toMatchObject(refused)
  expect(await api.events('T1000W')).toHaveLength(2)
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey
  expect(await send({ pub_key: Buffer.from(formatPublicKey(rsa)).toString('base64') })).toMatchObject({
    status: 400,
    message: expect.stringContaining('ed25519'),
  })
  expect(await send({ pub_key: 'nonsense' })).toMatchObject({ status: 400 })
  expect(await api.events('T3007W')).toMatchObject([{ user: 'alice', success: false }, { error: expect.stringContaining('pub_key') }])
  expect(await api.events('TC000I')).toHaveLength(0)
})

test('a key signs in on the command line, with a password or alone', async () => {
  await using api = await openProxyApi()
  const { password, key } = await setUpWithKey(api, 'alice')
  const bob = await setUpWithKey(api, 'bob', 'passwordless')
  const browser = api.browser()
  const begun = beginSignIn.out.parse(
    (await browser.call(beginSignIn, { body: { passwordless: false, user: 'alice', pass: password } })).body,
  )
  const finish = (body: object) => browser.call(finishCommandLine, { body: { pub_key: newKey(), ...body } })
  const options = begun.webauthn_challenge?.publicKey ?? { challenge: '' }
  const assertion = { webauthn_challenge_response: key.get(options, { origin: api.origin }) }
  expect(await finish({ user: 'alice', password: 'wrong', ...assertion })).toMatchObject(refused)
  expect(await finish({ user: 'alice', password, ...assertion })).toMatchObject({ status: 200, body: { username: 'alice' } })
  const alone = beginSignIn.out.parse((await browser.call(beginSignIn, { body: { passwordless: true } })).body)
  const own = bob.key.get(alone.webauthn_challenge?.publicKey ?? { challenge: '' }, { origin: api.origin })
  expect(await finish({ webauthn_challenge_response: own })).toMatchObject({ status: 200, body: { username: 'bob' } })
})

test('roles limit life and extensions, and may pin the address; somebody without logins gets in nowhere', async () => {
  await using api = await openProxyApi()
  const { roles, users } = api.context
  await roles.create({
    metadata: { name: 'short' },
    spec: { options: { max_session_ttl: '10m', pin_source_ip: true, forward_agent: true, port_forwarding: false } },
  })
  const dan = await setUpWithApp(api, 'dan')
  const user = await users.require('dan')
  const plain = sshOf(await signIn(api, dan))
  expect(plain.principals).toEqual([expect.stringMatching(/^-no-login-/)])
  await users.update({ ...user, metadata: { ...user.metadata, revision: '' }, spec: { ...user.spec, roles: ['short'] } })
  const before = api.clock.now()
  const certificate = sshOf(await signIn(api, dan, { ttl: 3_600_000_000_000 }))
  expect(Number(certificate.validBefore) * 1000).toBeLessThanOrEqual(before + 600_000 + 1000)
  expect([...certificate.extensions.keys()]).toEqual(['mfa-device@sallyport', 'permit-agent-forwarding', 'permit-pty'])
  expect(certificate.criticalOptions.get('source-address')).toBe('10.7.7.7/32')
})

test('no certificate is issued to somebody who is locked', async () => {
  await using api = await openProxyApi()
  const { name: user, password, secret } = await setUpWithApp(api, 'bob')
  await api.context.locks.place({ target: { role: 'access' } }, 'alice')
  const body = { user, password, otp_token: await codeOf(api, secret), pub_key: newKey() }
  const refusal = { status: 403, message: 'lock targeting Role:"access" is in force' }
  expect(await api.browser().call(signInCommandLine, { body })).toMatchObject(refusal)
  expect(await api.events('TC000I')).toEqual([])
})
