/** A real OpenID Connect provider on loopback. Whoever comes picks one of its accounts. */
import { generateKeyPairSync } from 'node:crypto'
import { Provider } from 'oidc-provider'
import type { OidcContext } from 'oidc-provider'
import { accountForm, readForm, sendHtml, startProviderServer } from './provider-server.ts'
import type { ProviderServer } from './provider-server.ts'

/** Claims of an account besides `sub`, which is its name. */
export type OidcAccounts = Readonly<Record<string, Readonly<Record<string, unknown>>>>

export interface OidcTestProvider extends ProviderServer {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
}

export interface OidcProviderOptions {
  /** Addresses to which people may be sent back. */
  redirectUrls: readonly string[]
  accounts: OidcAccounts
}

const { privateKey: signingKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const clientId = 'sallyport'
const clientSecret = 'the secret of the test provider'

export async function startOidcProvider({ redirectUrls, accounts }: OidcProviderOptions): Promise<OidcTestProvider> {
  const server = await startProviderServer((origin) => {
    const provider = new Provider(origin, configurationOf(redirectUrls, accounts))
    const answer = provider.callback()
    return async (request, response) => {
      if (!request.url?.startsWith('/interaction/')) return answer(request, response)
      if (request.method === 'GET') return sendHtml(response, accountForm(Object.keys(accounts)))
      const account = (await readForm(request)).get('account') ?? ''
      const refused = { error: 'access_denied', error_description: 'the person said no' }
      return provider.interactionFinished(request, response, account === '' ? refused : { login: { accountId: account } })
    }
  })
  return { ...server, issuer: server.origin, clientId, clientSecret }
}

const configurationOf = (redirectUrls: readonly string[], accounts: OidcAccounts): object => ({
  clients: [
    {
      client_id: clientId,
      client_secret: clientSecret,
      redirect_uris: redirectUrls,
      grant_types: ['authorization_code'],
      response_types: ['code'],
    },
  ],
  claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'], profile: ['name', 'preferred_username'] },
  pkce: { required: () => true },
  cookies: { keys: ['for tests'] },
  jwks: { keys: [{ ...signingKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'test' }] },
  ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_context: OidcContext, { uid }: { uid: string }) => `/interaction/${uid}` },
  findAccount: (_context: OidcContext, id: string) =>
    id in accounts ? { accountId: id, claims: () => ({ sub: id, ...accounts[id] }) } : undefined,
  // Everybody has agreed already.
  async loadExistingGrant({ oidc }: OidcContext) {
    const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId })
    grant.addOIDCScope([...oidc.requestParamScopes].join(' '))
    await grant.save()
    return grant
  },
})
