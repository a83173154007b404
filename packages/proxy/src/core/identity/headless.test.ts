import { generateKeyPairSync } from 'node:crypto'
import { parseCertificate } from '@sallyport/protocols/ssh/certificate.ts'
import { headlessId } from '@sallyport/protocols/ssh/headless-id.ts'
import { formatPublicKey } from '@sallyport/protocols/ssh/keys.ts'
import { certificatesWire, signInCommandLine } from '@sallyport/wire/calls/certificates.ts'
import { decideHeadless, readHeadless } from '@sallyport/wire/calls/headless.ts'
import { authenticateChallenge, beginSignIn, finishSignIn } from '@sallyport/wire/calls/mfa.ts'
import { sessionWire } from '@sallyport/wire/entities/session.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { ApiBrowser, ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { setUpWithKey, signedIn } from '@sallyport/testkit/proxy-people.ts'
import type { SoftwareKey } from '@sallyport/testkit/software-key.ts'
import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => vi.useRealTimers())

const failed = { status: 403, message: 'headless authentication failed' }
const unknown = { status: 400, message: 'requested invalid headless session' }

/** alice with a key, signed in. */
async function world() {
  await using opened = new AsyncDisposableStack()
  const api = opened.use(await openProxyApi())
  const { password, key } = await setUpWithKey(api, 'alice')
  const alice = api.browser().trustPage()
  const begun = beginSignIn.out.parse(
    (await alice.call(beginSignIn, { body: { passwordless: false, user: 'alice', pass: password } })).body,
  )
  if (!begun.webauthn_challenge) throw new Error('no challenge')
  const webauthnAssertionResponse = key.get(begun.webauthn_challenge.publicKey, { origin: api.origin })
  const answer = await alice.call(finishSignIn, { body: { user: 'alice', webauthnAssertionResponse } })
  alice.bearer = sessionWire.parse(answer.body).token
  const disposables = opened.move()
  return { api, alice, key, [Symbol.asyncDispose]: () => disposables.disposeAsync() }
}

function startCommand(api: ProxyApi, user: string) {
  const { publicKey } = generateKeyPairSync('ed25519')
  const line = Buffer.from(formatPublicKey(publicKey))
  const id = headlessId(line)
  const command = api.browser('10.9.9.9')
  const answer = command.call(signInCommandLine, { body: { user, headless_id: id, pub_key: line.toString('base64') } })
  return { id, line, answer, params: { headless_authentication_id: id } }
}

async function confirm(api: ProxyApi, browser: ApiBrowser, key: SoftwareKey) {
  const { webauthn_challenge: challenge } = authenticateChallenge.out.parse((await browser.call(authenticateChallenge)).body)
  if (!challenge) throw new Error('no challenge for a key')
  return key.get(challenge.publicKey, { origin: api.origin })
}

test('R3-123, R4-039, R7-128, R7-129: an approval with a key releases the waiting command with a certificate for its key', async () => {
  await using it = await world()
  const { id, line, params, answer } = startCommand(it.api, 'alice')
  const seen = await it.alice.call(readHeadless, { params })
  expect(seen).toMatchObject({
    status: 200,
    body: {
      header: { kind: 'headless_authentication', version: 'v1', metadata: { name: id } },
      user: 'alice',
      state: 1,
      public_key: line.toString('base64'),
      client_ip_address: expect.stringMatching(/^10\.9\.9\.9:/),
    },
  })
  expect(await it.alice.call(decideHeadless, { params, body: { action: 'accept' } })).toMatchObject({
    status: 403,
    message: expect.stringMatching(/^MFA response validation failed: /),
  })
  expect(await it.alice.call(decideHeadless, { params, body: { action: 'perhaps' } })).toMatchObject({
    status: 400,
    message: 'unknown action perhaps',
  })
  const webauthnAssertionResponse = await confirm(it.api, it.alice, it.key)
  expect(await it.alice.call(decideHeadless, { params, body: { action: 'accept', webauthnAssertionResponse } })).toMatchObject({
    status: 200,
    body: { message: 'ok' },
  })
  const { status, body } = await answer
  expect(status).toBe(200)
  const [, blob = ''] = Buffer.from(certificatesWire.parse(body).cert, 'base64').toString().split(' ')
  const certificate = parseCertificate(Buffer.from(blob, 'base64'))
  expect(formatPublicKey(certificate.publicKey)).toBe(line.toString())
  expect(certificate.keyId).toBe('alice')
  // Whoever decides again hears that it is decided, without a wait.
  expect(await it.alice.call(decideHeadless, { params, body: { action: 'denied' } })).toMatchObject({
    status: 403,
    message: 'cannot update a headless authentication state from a non-pending state',
  })
  expect(await it.alice.call(readHeadless, { params })).toMatchObject({ status: 200, body: { state: 3 } })
  for (const code of ['T1012I', 'T1013W', 'T1013I', 'TC000I']) expect(await it.api.events(code), code).toHaveLength(1)
  for (const code of ['T1012I', 'T1013W', 'T1013I'])
    expect((await it.api.events(code))[0], code).toMatchObject({
      user: 'alice',
      method: 'headless',
      'addr.remote': expect.stringContaining(':'),
      user_agent: 'test browser',
    })
  expect((await it.api.events('TC000I'))[0]).toMatchObject({ identity: { user: 'alice', logins: expect.arrayContaining(['root']) } })
})

test('R4-040: a refusal ends the command with 403; a decision counts once', async () => {
  await using it = await world()
  const { params, answer } = startCommand(it.api, 'alice')
  await it.alice.call(readHeadless, { params })
  const deny = () => it.alice.call(decideHeadless, { params, body: { action: 'denied' } })
  const [first, second] = await Promise.all([deny(), deny()])
  expect([first.status, second.status].toSorted()).toEqual([200, 403])
  expect(await answer).toMatchObject(failed)
  expect(await it.api.events('T1014W')).toHaveLength(1)
})

test("somebody else's command is the same as none, after the same wait; one whose id is of another key is refused at once", async () => {
  await using it = await world()
  const bob = await signedIn(it.api, 'bob')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { params, answer, line } = startCommand(it.api, 'alice')
  const none = { headless_authentication_id: '0b8c1f6e-2d6a-5c58-9a55-3c1f6e0b8c1f' }
  const asked = [
    bob.call(readHeadless, { params }),
    bob.call(decideHeadless, { params, body: { action: 'denied' } }),
    bob.call(readHeadless, { params: none }),
  ]
  await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThanOrEqual(4))
  await vi.advanceTimersByTimeAsync(30_000)
  for (const one of asked) expect(await one).toMatchObject(unknown)
  const body = { user: 'alice', headless_id: none.headless_authentication_id, pub_key: line.toString('base64') }
  expect(await it.api.browser().call(signInCommandLine, { body })).toMatchObject(failed)
  expect(await it.api.events('T1012I')).toHaveLength(0)
  await vi.advanceTimersByTimeAsync(150_000)
  expect(await answer).toMatchObject(failed)
})

test('a browser that comes first waits for its command', async () => {
  await using it = await world()
  const { publicKey } = generateKeyPairSync('ed25519')
  const line = Buffer.from(formatPublicKey(publicKey))
  const id = headlessId(line)
  const reading = it.alice.call(readHeadless, { params: { headless_authentication_id: id } })
  const waiting = it.api.browser().call(signInCommandLine, { body: { user: 'alice', headless_id: id, pub_key: line.toString('base64') } })
  expect(await reading).toMatchObject({ status: 200, body: { state: 1 } })
  await it.alice.call(decideHeadless, { params: { headless_authentication_id: id }, body: { action: 'denied' } })
  expect(await waiting).toMatchObject(failed)
})

test('where it is not allowed, neither command nor browser get anywhere', async () => {
  await using api = await openProxyApi({ allowHeadless: false })
  const alice = await signedIn(api, 'alice')
  const { params, answer } = startCommand(api, 'alice')
  const refused = { status: 403, message: 'headless sign-in is not allowed in this cluster' }
  expect(await answer).toMatchObject(refused)
  expect(await alice.call(readHeadless, { params })).toMatchObject(refused)
})
