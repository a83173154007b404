/**
 * Single sign-on: navigations of a browser, answered with redirects. Nothing is said in JSON, so that queries are read
 * from the address itself: `redirect_url` is its last parameter and everything behind it, unescaped once.
 */
import * as z from 'zod/mini'
import { call } from '../call.ts'
import { requestsToAssume } from './certificates.ts'

const clientStart = {
  method: 'POST',
  allow: 'public',
  limit: 'low',
  body: z.object({
    // What is missing is refused like everything that cannot be started.
    connector_id: z._default(z.string().check(z.maxLength(255)), ''),
    /** A loopback address with `secret_key`, 64 hex digits: the answer is sealed under it (AES-256-GCM). */
    redirect_url: z._default(z.string().check(z.maxLength(2048)), ''),
    /** Base64 of the line of an OpenSSH public key. */
    public_key: z._default(z.string().check(z.maxLength(16 * 1024)), ''),
    /** Nanoseconds; 0 for what the cluster gives by default. */
    cert_ttl: z._default(z.number().check(z.nonnegative()), 0),
    compatibility: z.optional(z.string().check(z.maxLength(64))),
    RouteToCluster: z.optional(z.string().check(z.maxLength(255))),
    KubernetesCluster: z.optional(z.string().check(z.maxLength(255))),
    access_requests: requestsToAssume,
  }),
  out: z.object({ redirect_url: z.string() }),
} as const

const connector = z.object({ connector: z.string().check(z.maxLength(255)) })
const visit = { allow: 'public', limit: 'low', answer: 'raw' } as const

export const startGithub = call({ id: 'sso.startGithub', method: 'GET', path: '/v1/webapi/github/login/web', ...visit })
export const startOidc = call({ id: 'sso.startOidc', method: 'GET', path: '/v1/webapi/oidc/login/web', ...visit })
export const startSaml = call({ id: 'sso.startSaml', method: 'GET', path: '/v1/webapi/saml/sso', ...visit })

export const returnGithub = call({ id: 'sso.returnGithub', method: 'GET', path: '/v1/webapi/github/callback', ...visit })
export const returnOidc = call({ id: 'sso.returnOidc', method: 'GET', path: '/v1/webapi/oidc/callback', ...visit })
/** The body is a form with `SAMLResponse` and perhaps `RelayState`. */
export const returnSaml = call({ id: 'sso.returnSaml', method: 'POST', path: '/v1/webapi/saml/acs', ...visit })
/** The same for one connector; sign-ins that begin at the provider come here. */
export const returnSamlTo = call({
  id: 'sso.returnSamlTo',
  method: 'POST',
  path: '/v1/webapi/saml/acs/{connector}',
  params: connector,
  ...visit,
})
/** Ours: what an identity provider wants to know about this side, as XML. */
export const samlMetadata = call({
  id: 'sso.samlMetadata',
  method: 'GET',
  path: '/v1/webapi/saml/metadata/{connector}',
  params: connector,
  ...visit,
})

/** For programs: where the browser is to go. What comes of it is told at their loopback address, as `response` or `err`. */
export const startGithubClient = call({ id: 'sso.startGithubClient', path: '/v1/webapi/github/login/console', ...clientStart })
export const startOidcClient = call({ id: 'sso.startOidcClient', path: '/v1/webapi/oidc/login/console', ...clientStart })
export const startSamlClient = call({ id: 'sso.startSamlClient', path: '/v1/webapi/saml/login/console', ...clientStart })
