/**
 * P10: a sign-in through an OpenID Connect provider, over HTTP: from the start to the page with a session. Against what
 * the provider itself takes for the same questions (sign-in page, account, token, userinfo), asked by a bare client.
 */
import { createHash, randomBytes } from 'node:crypto'
import { startOidcProvider } from '@sallyport/testkit/providers/oidc.ts'
import { ProviderVisitor } from '@sallyport/testkit/providers/visitor.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { addressOf, comeBack, startSso, targetOf } from '@sallyport/testkit/providers/sso-flow.ts'
import { report } from './report.ts'
import { median, percentile } from './statistics.ts'

const rounds = 60
/** Milliseconds on top of the provider's: five durable writes, a signature, a session. */
const aim = 100
const callback = 'http://localhost:3080/v1/webapi/oidc/callback'

await using provider = await startOidcProvider({
  redirectUrls: [callback],
  accounts: { erin: { email: 'erin@example.com', email_verified: true, groups: ['engineers'] } },
})
await using api = await openProxyApi()
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

async function throughUs(): Promise<void> {
  const browser = api.browser().trustPage()
  const address = addressOf(await startSso(browser, { type: 'oidc', connector: 'id' }))
  const answer = await comeBack(browser, await new ProviderVisitor().signIn(address, 'erin'))
  if (targetOf(answer) !== '/web') throw new Error('the sign-in failed')
}

async function bare(): Promise<void> {
  const verifier = randomBytes(32).toString('base64url')
  const address = new URL('/auth', provider.issuer)
  address.search = new URLSearchParams({
    client_id: provider.clientId,
    redirect_uri: callback,
    response_type: 'code',
    scope: 'openid email groups',
    state: 'x',
    nonce: 'x',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString()
  const back = new URL(await new ProviderVisitor().signIn(address.href, 'erin'))
  const token = await fetch(`${provider.issuer}/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${provider.clientId}:${encodeURIComponent(provider.clientSecret)}`).toString('base64')}`,
    },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: back.searchParams.get('code') ?? '',
      redirect_uri: callback,
      code_verifier: verifier,
    }),
  })
  const { access_token } = (await token.json()) as { access_token: string }
  const user = await fetch(`${provider.issuer}/me`, { headers: { authorization: `Bearer ${access_token}` } })
  if (!user.ok) throw new Error(`the provider answered ${user.status}`)
  await user.text()
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

// Discovery and compilation happen once.
await throughUs()
await bare()
const ours: number[] = []
const raw: number[] = []
for (let round = 0; round < rounds; round += 1) {
  ours.push(await timed(throughUs))
  raw.push(await timed(bare))
}
const limit = { name: "the provider's own round trip", value: median(raw) }
report({
  measure: 'OIDC sign-in over HTTP, median',
  ours: median(ours),
  unit: 'ms',
  against: limit,
  aim: { text: `<= ${aim} ms more`, holds: median(ours) - limit.value <= aim },
})
report({
  measure: 'OIDC sign-in over HTTP, p95',
  ours: percentile(ours, 0.95),
  unit: 'ms',
  against: { ...limit, value: percentile(raw, 0.95) },
})
