/** OpenID Connect: code flow with PKCE and nonce; the ID token's signature is always checked. */
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretBasic,
  ClientSecretPost,
  clockTolerance,
  Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  randomNonce,
  randomPKCECodeVerifier,
} from 'openid-client'
import type { ServerMetadata } from 'openid-client'
import { parseDuration } from '../access/duration.ts'
import type { OidcConnector, OidcSpec } from '../connectors/oidc-connector.ts'
import { isLoopbackUrl } from '../connectors/urls.ts'
import type { Claims } from '../connectors/mapping.ts'
import { firstOf, readClaims } from './claims.ts'
import { createOutbound } from './outbound.ts'
import type { Outbound } from './outbound.ts'
import type { Proof, Provider } from './provider.ts'
import { SsoError } from './sso-error.ts'

/** Seconds by which the provider's clock may differ. */
const skew = 60

export function createOidcProvider({ metadata: { name }, spec }: OidcConnector): Provider {
  const outbound = createOutbound(spec.issuer_url)
  let configuration: Promise<Configuration> | undefined
  const configured = (): Promise<Configuration> => {
    configuration ??= configure(spec, outbound)
    // What failed is asked for again by the next sign-in.
    configuration.catch(() => (configuration = undefined))
    return configuration
  }
  const redirectUrl = spec.redirect_url[0] ?? ''
  const age = spec.max_age === '' ? 0 : (parseDuration(spec.max_age) ?? 0)
  const maxAge = age > 0 ? Math.round(age / 1000) : undefined

  return {
    type: 'oidc',
    name,
    mappings: spec.claims_to_roles,
    async begin(requestId) {
      const config = await explained(configured())
      const kept = { verifier: randomPKCECodeVerifier(), nonce: randomNonce() }
      const address = buildAuthorizationUrl(config, {
        redirect_uri: redirectUrl,
        scope: [...new Set(['openid', ...(spec.scope.length > 0 ? spec.scope : ['email'])])].join(' '),
        state: requestId,
        nonce: kept.nonce,
        code_challenge: await calculatePKCECodeChallenge(kept.verifier),
        code_challenge_method: 'S256',
        ...(spec.prompt === '' ? {} : { prompt: spec.prompt }),
        ...(spec.acr_values === '' ? {} : { acr_values: spec.acr_values }),
        ...(maxAge === undefined ? {} : { max_age: String(maxAge) }),
      })
      if (address.protocol !== 'https:' && !isLoopbackUrl(address))
        throw new SsoError('callback', `the provider's sign-in page ${address.origin} is not served over https`)
      return { address: address.href, kept }
    },
    async prove(answer, kept) {
      if (answer.kind !== 'query') throw new SsoError('callback', 'no answer of an OpenID Connect provider')
      const config = await explained(configured())
      const current = new URL(redirectUrl)
      current.search = answer.query.toString()
      const tokens = await explained(
        authorizationCodeGrant(config, current, {
          expectedState: answer.query.get('state') ?? '',
          expectedNonce: kept['nonce'] ?? '',
          pkceCodeVerifier: kept['verifier'] ?? '',
          idTokenExpected: true,
          ...(maxAge === undefined ? {} : { maxAge }),
        }),
      )
      const identity = tokens.claims()
      if (!identity) throw new SsoError('callback', 'the provider sent no ID token')
      const more = config.serverMetadata().userinfo_endpoint
        ? await explained(fetchUserInfo(config, tokens.access_token, identity.sub))
        : {}
      // What is signed counts over what is only said.
      return proofOf(spec, identity.iss, identity.sub, readClaims({ ...more, ...identity }))
    },
  }
}

async function configure(spec: OidcSpec, outbound: Outbound): Promise<Configuration> {
  const issuer = new URL(spec.issuer_url)
  const fetch = fetchOver(outbound)
  const insecure = issuer.protocol === 'http:' ? [allowInsecureRequests] : []
  const found = await discovery(issuer, spec.client_id, undefined, None(), { [customFetch]: fetch, execute: insecure })
  const server: ServerMetadata = found.serverMetadata()
  const config = new Configuration(server, spec.client_id, { [clockTolerance]: skew }, clientAuth(spec.client_secret, server))
  config[customFetch] = fetch
  for (const execute of [enableNonRepudiationChecks, ...insecure]) execute(config)
  return config
}

/** As the provider likes it; where it says nothing, the standard's default holds. */
function clientAuth(secret: string, { token_endpoint_auth_methods_supported: methods }: ServerMetadata) {
  if (secret === '') return None()
  return methods === undefined || methods.includes('client_secret_basic') ? ClientSecretBasic(secret) : ClientSecretPost(secret)
}

const fetchOver =
  (outbound: Outbound) =>
  (
    address: string,
    { method, headers, body, signal }: { method: string; headers: Record<string, string>; body?: unknown; signal?: AbortSignal },
  ): Promise<Response> =>
    outbound(address, {
      method,
      headers,
      signal,
      ...(typeof body === 'string' || body instanceof URLSearchParams ? { body: String(body) } : {}),
    })

/** The library's errors as ours, with the reason behind them. */
function explained<T>(attempt: Promise<T>): Promise<T> {
  return attempt.catch((error: unknown) => {
    const cause = error instanceof Error ? error.cause : undefined
    if (error instanceof SsoError) throw error
    if (cause instanceof SsoError) throw cause
    throw new SsoError('callback', describe(error), { cause: error })
  })
}

/** The provider's own words, or what the library found wrong and, where it says so, with which claim. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const innermost = error.cause instanceof Error ? error.cause : error
  const detail = 'error_description' in innermost && typeof innermost.error_description === 'string' ? innermost.error_description : ''
  const code = 'error' in innermost && typeof innermost.error === 'string' ? `${innermost.error}: ` : ''
  const { cause } = innermost
  const claim = typeof cause === 'object' && cause !== null && 'claim' in cause ? ` (${String(cause.claim)})` : ''
  return `the provider's answer was refused: ${code}${detail || innermost.message}${claim}`.slice(0, 500)
}

function proofOf(spec: OidcSpec, issuer: string, subject: string, claims: Claims): Proof {
  const claim = spec.username_claim === '' ? 'email' : spec.username_claim
  const username = firstOf(claims, claim)
  if (username === '') throw new SsoError('callback', `the provider did not send the claim "${claim}", from which the user name is taken`)
  if (claim === 'email' && !spec.allow_unverified_email && firstOf(claims, 'email_verified') !== 'true')
    throw new SsoError('callback', `the provider does not vouch for the address ${username} (email_verified)`)
  const wanted = spec.acr_values.split(' ').filter(Boolean)
  const acr = firstOf(claims, 'acr')
  if (wanted.length > 0 && !wanted.includes(acr))
    throw new SsoError('callback', `the provider signed in by "${acr}", the connector asks for "${spec.acr_values}" (acr)`)
  return { username, identity: `${issuer} ${subject}`, claims }
}
