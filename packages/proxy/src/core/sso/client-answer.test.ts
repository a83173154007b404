/** Programs that sign in through the browser: certificates at their loopback address, sealed under their key. */
import { createDecipheriv, generateKeyPairSync, randomBytes } from 'node:crypto'
import { formatPublicKey, parsePublicKey } from '@sallyport/protocols/ssh/keys.ts'
import { parseCertificate } from '@sallyport/protocols/ssh/certificate.ts'
import { startOidcClient, startSamlClient } from '@sallyport/wire/calls/sso.ts'
import { certificatesWire } from '@sallyport/wire/calls/certificates.ts'
import { startOidcProvider } from '@sallyport/testkit/providers/oidc.ts'
import type { OidcTestProvider } from '@sallyport/testkit/providers/oidc.ts'
import { comeBack, targetOf } from '@sallyport/testkit/providers/sso-flow.ts'
import { ProviderVisitor } from '@sallyport/testkit/providers/visitor.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

const callback = 'http://localhost:3080/v1/webapi/oidc/callback'
let provider: OidcTestProvider
let api: ProxyApi
beforeAll(async () => {
  provider = await startOidcProvider({
    redirectUrls: [callback],
    accounts: {
      erin: { email: 'erin@example.com', email_verified: true, groups: ['engineers'] },
      guest: { email: 'guest@example.com', email_verified: true, groups: [] },
    },
  })
})
afterAll(() => provider[Symbol.asyncDispose]())
beforeEach(async () => {
  api = await openProxyApi()
  await api.context.connectors.oidc.create({
    metadata: { name: 'id' },
    spec: {
      issuer_url: provider.issuer,
      client_id: provider.clientId,
      client_secret: provider.clientSecret,
      redirect_url: callback,
      scope: ['email', 'groups'],
      claims_to_roles: [{ claim: 'groups', value: 'engineers', roles: ['access'] }],
    },
  })
  return () => api[Symbol.asyncDispose]()
})

const secret = randomBytes(32)
const address = `http://127.0.0.1:40000/callback?secret_key=${secret.toString('hex')}`
const line = formatPublicKey(generateKeyPairSync('ed25519').publicKey)
const publicKey = Buffer.from(`${line}\n`).toString('base64')
const start = (body: object = {}) =>
  api.browser().call(startOidcClient, {
    body: { connector_id: 'id', redirect_url: address, public_key: publicKey, cert_ttl: 3_600_000_000_000, ...body },
  })

async function answered(account: string): Promise<URL> {
  const { redirect_url } = startOidcClient.out.parse((await start()).body)
  // Whatever browser comes back: it has no cookie of ours.
  const answer = await comeBack(api.browser(), await new ProviderVisitor().signIn(redirect_url, account))
  expect(answer.setCookies).toEqual([])
  return new URL(targetOf(answer))
}
function unsealed(response: string): unknown {
  const sealed = JSON.parse(response) as { ciphertext: string; nonce: string }
  const bytes = Buffer.from(sealed.ciphertext, 'base64')
  const decipher = createDecipheriv('aes-256-gcm', secret, Buffer.from(sealed.nonce, 'base64'))
  decipher.setAuthTag(bytes.subarray(-16))
  return JSON.parse(Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString('utf8'))
}

test('certificates for the key of the program, as long as it asked for; the key that seals them goes nowhere', async () => {
  const url = await answered('erin')
  expect(url.origin + url.pathname).toBe('http://127.0.0.1:40000/callback')
  expect([...url.searchParams.keys()]).toEqual(['response'])
  const issued = certificatesWire.parse(unsealed(url.searchParams.get('response') ?? ''))
  expect(issued.username).toBe('erin@example.com')
  const certificate = parseCertificate(Buffer.from(Buffer.from(issued.cert, 'base64').toString('utf8').split(' ')[1] ?? '', 'base64'))
  expect(formatPublicKey(certificate.publicKey)).toBe(formatPublicKey(parsePublicKey(line)))
  expect(await api.events('T1001I')).toMatchObject([{ user: 'erin@example.com', method: 'oidc' }])
  expect(await api.events('TC000I')).toHaveLength(1)
})

test('who has no role is told at the same address', async () => {
  const url = await answered('guest')
  expect([...url.searchParams]).toEqual([['err', 'You are not authorized, please contact your SSO administrator.']])
  expect(await api.events('T1001W')).toMatchObject([{ error: 'no role is mapped to guest@example.com' }])
  expect(await api.events('TC000I')).toEqual([])
})

test.each<[string, object]>([
  ['an address elsewhere', { redirect_url: address.replace('127.0.0.1', 'evil.example') }],
  ['an address that looks like this machine', { redirect_url: address.replace('127.0.0.1', '127.0.0.1.evil.example') }],
  ['no key in the address', { redirect_url: 'http://127.0.0.1:40000/callback' }],
  ['a short key', { redirect_url: 'http://127.0.0.1:40000/callback?secret_key=abcd' }],
  ['a script for an address', { redirect_url: 'javascript:alert(1)' }],
  ['no public key', { public_key: 'AAAA' }],
  ['no such connector', { connector_id: 'other' }],
  ['nothing', { connector_id: undefined, redirect_url: undefined, public_key: undefined }],
])('%s is refused without a reason', async (_, body) => {
  expect(await start(body)).toMatchObject({
    status: 403,
    message: "Failed to login. Please check Sallyport's log for more details.",
  })
})
test('a connector of another kind is refused', async () => {
  const answer = await api.browser().call(startSamlClient, { body: { connector_id: 'id', redirect_url: address, public_key: publicKey } })
  expect(answer.status).toBe(403)
})
