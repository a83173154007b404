/**
 * Single sign-on: navigations of a browser, answered with redirects. Nothing is said in JSON, so that queries are read
 * from the address itself: `redirect_url` is its last parameter and everything behind it, unescaped once.
 */
import * as z from 'zod/mini'
import { call } from '../call.ts'

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
