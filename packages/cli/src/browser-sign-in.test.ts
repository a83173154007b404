/** The command line through a real provider, with a browser that only follows. */
import { generateKeyPairSync } from 'node:crypto'
import { formatPublicKey } from '@sallyport/protocols/ssh/keys.ts'
import { createOidc } from '@sallyport/wire/calls/connectors.ts'
import { startOidcProvider } from '@sallyport/testkit/providers/oidc.ts'
import type { OidcTestProvider } from '@sallyport/testkit/providers/oidc.ts'
import { ProviderVisitor } from '@sallyport/testkit/providers/visitor.ts'
import { createWorld } from '@sallyport/testkit/world.ts'
import type { World } from '@sallyport/testkit/world.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signInThroughBrowser } from './browser-sign-in.ts'

let world: World
let provider: OidcTestProvider
beforeAll(async () => {
  world = await createWorld({ people: ['alice'] })
  const callback = `${world.url}/v1/webapi/oidc/callback`
  const claims = { email_verified: true, groups: ['engineers'] }
  provider = await startOidcProvider({
    redirectUrls: [callback],
    accounts: { erin: { ...claims, email: 'erin@example.com' }, guest: { ...claims, email: 'guest@example.com', groups: [] } },
  })
  const spec = {
    issuer_url: provider.issuer,
    client_id: provider.clientId,
    client_secret: provider.clientSecret,
    redirect_url: [callback],
    scope: ['email', 'groups'],
    claims_to_roles: [{ claim: 'groups', value: 'engineers', roles: ['access'] }],
  }
  const content = JSON.stringify({ kind: 'oidc', version: 'v3', metadata: { name: 'id' }, spec })
  await (await world.signIn('alice')).call(createOidc, { body: { content } })
})
afterAll(async () => {
  await provider[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

/** Where the browser stands in the end. */
async function browse(address: string, account: string): Promise<string> {
  const back = await new ProviderVisitor().signIn(address, account)
  const page = await (await fetch(back)).text()
  const own = /content="0;URL='([^']*)'"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? ''
  return (await fetch(own, { redirect: 'manual' })).headers.get('location') ?? ''
}
function signIn(account: string, ended: PromiseWithResolvers<string>, name = 'id') {
  const publicKey = formatPublicKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey)
  return signInThroughBrowser({
    origin: world.url,
    connector: { type: 'oidc', name },
    publicKey,
    ttl: 0,
    requests: [],
    show: (address) => void browse(address, account).then(ended.resolve, ended.reject),
  })
}

test('certificates come back, and the browser ends at the page that says so', async () => {
  const ended = Promise.withResolvers<string>()
  expect(await signIn('erin', ended)).toMatchObject({
    username: 'erin@example.com',
    cert: expect.any(String),
    tls_cert: expect.any(String),
  })
  expect(await ended.promise).toBe(`${world.url}/web/msg/info/login_success`)
})
test('who has no role is told, in the browser and on the command line', async () => {
  const ended = Promise.withResolvers<string>()
  await expect(signIn('guest', ended)).rejects.toThrow('You are not authorized, please contact your SSO administrator.')
  expect(await ended.promise).toBe(`${world.url}/web/msg/error/login`)
})
test('an unknown connector', async () => {
  await expect(signIn('erin', Promise.withResolvers(), 'other')).rejects.toThrow('Failed to login.')
})
