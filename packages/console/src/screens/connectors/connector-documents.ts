/** Connector documents as the editor knows them: shapes, forms and what new ones start from. */
import { routePath } from '@sallyport/wire/routes.ts'
import type { FieldSpec } from '../../parts/document-editor/form.ts'
import { limitDuration } from '../../parts/validators/documents.ts'
import { metadataShape } from '../../parts/documents/role-shape.ts'
import type { Shape } from '../../parts/documents/shape.ts'
import { kindWords } from './kinds.ts'
import type { Kind } from './kinds.ts'

const text = (note?: string, values?: readonly string[]): Shape => ({ is: 'text', ...(note && { note }), ...(values && { values }) })
const texts = (values?: readonly string[]): Shape => ({ is: 'list', single: true, of: text(undefined, values) })
const flag = (note: string): Shape => ({ is: 'flag', note })
const mappings = (kind: Kind): Shape => {
  const names = kindWords[kind].mappings.parts.map(({ name }) => name)
  return {
    is: 'list',
    note: 'Who gets which roles',
    of: {
      is: 'map',
      required: [...names, 'roles'],
      fields: { ...Object.fromEntries(names.map((name) => [name, text()])), roles: texts() },
    },
  }
}
const keyPair: Shape = { is: 'map', fields: { private_key: text(), cert: text() } }

const fields: Record<Kind, Record<string, Shape>> = {
  github: {
    client_id: text('From the OAuth app at GitHub'),
    client_secret: text('Kept when it is left masked'),
    redirect_url: text('Where GitHub sends people back'),
    display: text('On the button of the sign-in screen'),
    endpoint_url: text('Of a GitHub Enterprise server'),
    api_endpoint_url: text('Of a GitHub Enterprise server'),
    teams_to_roles: mappings('github'),
    teams_to_logins: { is: 'list', note: 'Old; use teams_to_roles', of: { is: 'any' } },
  },
  oidc: {
    issuer_url: text('Address of the provider; its discovery document lies below'),
    client_id: text(),
    client_secret: text('Kept when it is left masked'),
    redirect_url: texts(),
    display: text('On the button of the sign-in screen'),
    provider: text('Known peculiarities', ['google', 'okta', 'keycloak', 'entra', 'ping', 'netiq']),
    prompt: text('What the provider asks', ['', 'login', 'consent', 'select_account', 'none']),
    acr_values: text(),
    scope: texts(['openid', 'email', 'profile', 'groups']),
    username_claim: text('Which claim names the user', ['email', 'preferred_username', 'sub']),
    allow_unverified_email: flag('Trust addresses that the provider has not checked'),
    max_age: { is: 'text', note: 'Sign in anew at the provider when that was longer ago', whyNot: limitDuration },
    claims_to_roles: mappings('oidc'),
    google_service_account_uri: text(),
    google_service_account: text(),
    google_admin_email: text(),
  },
  saml: {
    acs: text('Where the provider sends people back'),
    issuer: text('Entity ID of the provider; without an entity descriptor'),
    sso: text('Sign-in address of the provider; without an entity descriptor'),
    cert: text('Certificate (PEM) with which the provider signs; without an entity descriptor'),
    audience: text('Whom assertions are meant for; the acs when empty'),
    service_provider_issuer: text('Entity ID of this cluster; the acs when empty'),
    display: text('On the button of the sign-in screen'),
    provider: text('Known peculiarities', ['okta', 'adfs', 'onelogin']),
    entity_descriptor: text('Metadata of the provider, as XML'),
    entity_descriptor_url: text('Where that metadata lies'),
    attributes_to_roles: mappings('saml'),
    signing_key_pair: keyPair,
    assertion_key_pair: keyPair,
    allow_idp_initiated: flag('People may begin at the provider'),
  },
}

const shape = (kind: Kind, versions: readonly string[]): Shape => ({
  is: 'map',
  required: ['kind', 'metadata', 'spec'],
  fields: {
    kind: { is: 'text', values: [kind], only: true },
    version: { is: 'text', values: versions, only: true },
    sub_kind: text(),
    metadata: metadataShape,
    spec: { is: 'map', fields: fields[kind], required: [kindWords[kind].mappings.field] },
  },
})
export const connectorShapes: Record<Kind, Shape> = {
  github: shape('github', ['v3']),
  oidc: shape('oidc', ['v2', 'v3']),
  saml: shape('saml', ['v2']),
}

/** Where the provider sends people back, and for SAML under which name it knows this cluster. */
export interface OwnAddresses {
  callback: string
  metadata?: string
}

export function ownAddresses(kind: Kind, name: string, origin: string): OwnAddresses {
  if (kind !== 'saml') return { callback: `${origin}/v1/webapi/${kind}/callback` }
  const id = encodeURIComponent(name || 'saml')
  return { callback: `${origin}/v1/webapi/saml/acs/${id}`, metadata: `${origin}/v1/webapi/saml/metadata/${id}` }
}

export const callbackField: Record<Kind, string> = { github: 'redirect_url', oidc: 'redirect_url', saml: 'acs' }

/** What a new connector starts from, with the addresses of this page's origin filled in. */
export function templateOf(kind: Kind, origin: string): string {
  const { callback } = ownAddresses(kind, kind, origin)
  const head = (version: string): string => `kind: ${kind}\nversion: ${version}\nmetadata:\n  name: ${kind}\nspec:\n`
  if (kind === 'github')
    return `${head('v3')}  display: GitHub
  client_id: ''
  client_secret: ''
  redirect_url: ${callback}
  teams_to_roles:
    - organization: ''
      team: ''
      roles: [access]
`
  if (kind === 'oidc')
    return `${head('v3')}  display: Sign in with OIDC
  issuer_url: ''
  client_id: ''
  client_secret: ''
  redirect_url: [${callback}]
  scope: [openid, email, profile]
  claims_to_roles:
    - claim: groups
      value: ''
      roles: [access]
`
  return `${head('v2')}  display: Sign in with SAML
  acs: ${callback}
  entity_descriptor_url: ''
  attributes_to_roles:
    - name: groups
      value: ''
      roles: [access]
`
}

const field = (
  name: string,
  label: string,
  more: { help?: string; lines?: true; required?: boolean; placeholder?: string } = {},
): FieldSpec => ({
  as: 'text',
  mono: true,
  path: ['spec', name],
  label,
  ...more,
})
const display: FieldSpec = { as: 'text', path: ['spec', 'display'], label: 'Words on the sign-in button' }
const client: readonly FieldSpec[] = [
  field('client_id', 'Client ID', { required: true }),
  { as: 'secret', path: ['spec', 'client_secret'], label: 'Client secret', help: 'Kept as it is until you replace it' },
]

export const commonFields: Record<Kind, readonly FieldSpec[]> = {
  github: [
    display,
    ...client,
    field('redirect_url', 'Redirect address'),
    field('endpoint_url', 'GitHub Enterprise server', { help: 'Empty: GitHub itself' }),
    field('api_endpoint_url', 'Its API', { help: 'Empty: the one of GitHub itself' }),
  ],
  oidc: [
    display,
    field('issuer_url', 'Issuer', { required: true, help: 'Address of the provider, with https' }),
    ...client,
    { as: 'texts', path: ['spec', 'redirect_url'], label: 'Redirect addresses' },
    { as: 'texts', path: ['spec', 'scope'], label: 'Scopes', suggestions: ['openid', 'email', 'profile', 'groups'] },
    field('username_claim', 'Claim that names the user', { placeholder: 'email' }),
    {
      as: 'choice',
      path: ['spec', 'prompt'],
      label: 'What the provider asks',
      usual: 'What it likes',
      choices: [
        { value: 'login', label: 'To sign in anew' },
        { value: 'select_account', label: 'Which account' },
        { value: 'consent', label: 'For consent' },
        { value: 'none', label: 'Nothing' },
      ],
    },
    { as: 'text', mono: true, path: ['spec', 'max_age'], label: 'Sign in anew after', whyNot: limitDuration, placeholder: 'never' },
    { as: 'flag', path: ['spec', 'allow_unverified_email'], label: 'Trust unverified addresses', usual: 'Default (no)' },
  ],
  saml: [
    display,
    field('acs', 'Assertion consumer service (ACS)', { required: true }),
    field('entity_descriptor_url', 'Address of the provider’s metadata'),
    field('entity_descriptor', 'Or the metadata itself (XML)', { lines: true }),
    field('service_provider_issuer', 'Entity ID of this cluster', { help: 'Empty: the ACS address' }),
    field('audience', 'Audience', { help: 'Empty: the entity ID' }),
    { as: 'flag', path: ['spec', 'allow_idp_initiated'], label: 'People may begin at the provider', usual: 'Default (no)' },
  ],
}

export const newPath = (kind: Kind): string => routePath('newConnector', { kind })
export const editPath = (kind: Kind, name: string): string => routePath('editConnector', { kind, name })
export const listPath = routePath('sso')
