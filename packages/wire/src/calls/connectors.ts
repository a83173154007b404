/** Auth connectors as documents; the default one; a test sign-in without saving. */
import * as z from 'zod/mini'
import { call, okMessage, rule, ruleOr } from '../call.ts'
import { connectorTestWire, defaultConnectorWire } from '../entities/connector.ts'
import { resourceContent, resourceItemsWire, resourceItemWire } from '../entities/resource-item.ts'

const params = z.object({ name: z.string().check(z.maxLength(255)) })

/**
 * GitHub connectors have the contract's path; OIDC and SAML ones live beside it under `enterprise`, with the same shapes.
 * Rules on `auth_connector` cover each kind. Lists are for whoever may list and read: secrets in them are `maskedSecret`,
 * or empty for somebody with `readnosecrets` alone; sent back unchanged, `maskedSecret` keeps the stored one.
 */
const documents = <K extends 'github' | 'oidc' | 'saml'>(kind: K, path: string) => ({
  list: call({ id: `${kind}.list`, method: 'GET', path, allow: ruleOr('auth_connector', kind, 'list'), out: resourceItemsWire }),
  create: call({
    id: `${kind}.create`,
    method: 'POST',
    path,
    allow: ruleOr('auth_connector', kind, 'create', 'update'),
    body: resourceContent,
    out: resourceItemWire,
  }),
  update: call({
    id: `${kind}.update`,
    method: 'PUT',
    path: `${path}/{name}`,
    allow: ruleOr('auth_connector', kind, 'create', 'update'),
    params,
    body: resourceContent,
    out: resourceItemWire,
  }),
  remove: call({
    id: `${kind}.remove`,
    method: 'DELETE',
    path: `${path}/{name}`,
    allow: ruleOr('auth_connector', kind, 'delete'),
    params,
    out: okMessage,
  }),
})

const github = documents('github', '/v1/webapi/github')
export const { list: listGithub, create: createGithub, update: updateGithub, remove: removeGithub } = github
const oidc = documents('oidc', '/v1/enterprise/oidc')
export const { list: listOidc, create: createOidc, update: updateOidc, remove: removeOidc } = oidc
const saml = documents('saml', '/v1/enterprise/saml')
export const { list: listSaml, create: createSaml, update: updateSaml, remove: removeSaml } = saml

/** Ours: what the sign-in screen offers first, and whether people may sign in without a provider. */
export const readDefault = call({
  id: 'connectors.readDefault',
  method: 'GET',
  path: '/v1/webapi/authconnector/default',
  allow: rule('auth_connector', 'list'),
  out: defaultConnectorWire,
})
export const setDefault = call({
  id: 'connectors.setDefault',
  method: 'PUT',
  path: '/v1/webapi/authconnector/default',
  allow: rule('cluster_auth_preference', 'update'),
  body: z.object({ type: z.enum(['local', 'oidc', 'saml', 'github']), name: z.string().check(z.maxLength(255)) }),
  out: defaultConnectorWire,
})
/** Ours: begins a sign-in with a document that is not saved. The browser opens `redirect_url` in another tab and asks for the result. */
export const beginTest = call({
  id: 'connectors.beginTest',
  method: 'POST',
  path: '/v1/webapi/authconnector/test',
  allow: rule('auth_connector', 'create', 'update'),
  body: resourceContent,
  out: z.object({ id: z.string(), redirect_url: z.string() }),
})
/** Only for who began it. */
export const readTest = call({
  id: 'connectors.readTest',
  method: 'GET',
  path: '/v1/webapi/authconnector/test/{id}',
  allow: rule('auth_connector', 'create', 'update'),
  params: z.object({ id: z.string().check(z.maxLength(64)) }),
  out: connectorTestWire,
})
