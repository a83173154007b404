/** Connectors as documents, their secrets, the default one. */
import {
  createGithub,
  createOidc,
  createSaml,
  listGithub,
  listOidc,
  listSaml,
  readDefault,
  removeGithub,
  removeOidc,
  removeSaml,
  setDefault,
  updateGithub,
  updateOidc,
  updateSaml,
} from '@sallyport/wire/calls/connectors.ts'
import type { Verb } from '@sallyport/wire/acl.ts'
import { ping, pingConnector } from '@sallyport/wire/calls/bootstrap.ts'
import { resourceItemsWire, resourceItemWire } from '@sallyport/wire/entities/resource-item.ts'
import { parseDocument } from '../../core/resources/documents.ts'
import { requireKind } from '../../core/resources/managed-kinds.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { ApiBrowser, ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { signedIn } from '@sallyport/testkit/proxy-people.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'

let api: ProxyApi
let alice: ApiBrowser
beforeEach(async () => {
  api = await openProxyApi()
  alice = await signedIn(api, 'alice')
  return () => api[Symbol.asyncDispose]()
})

const acs = 'https://proxy.example/v1/webapi/saml/acs/it'
const specs = {
  github: {
    client_id: 'id',
    client_secret: 'hush',
    redirect_url: 'https://proxy.example/v1/webapi/github/callback',
    teams_to_roles: [{ organization: 'o', team: 't', roles: ['access'] }],
  },
  oidc: {
    issuer_url: 'https://id.example',
    client_id: 'id',
    client_secret: 'hush',
    redirect_url: ['https://proxy.example/v1/webapi/oidc/callback'],
    claims_to_roles: [{ claim: 'groups', value: 'admins', roles: ['editor'] }],
  },
  saml: {
    acs,
    issuer: 'https://id.example/metadata',
    sso: 'https://id.example/sso',
    cert: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
    attributes_to_roles: [{ name: 'groups', value: 'admins', roles: ['editor'] }],
    signing_key_pair: { private_key: 'hush', cert: 'cert' },
  },
}
type Kind = keyof typeof specs
type Rule = { resources: (Kind | 'auth_connector')[]; verbs: (Verb | '*')[] }
const calls = {
  github: { list: listGithub, create: createGithub, update: updateGithub, remove: removeGithub },
  oidc: { list: listOidc, create: createOidc, update: updateOidc, remove: removeOidc },
  saml: { list: listSaml, create: createSaml, update: updateSaml, remove: removeSaml },
}
const versions = { github: 'v3', oidc: 'v3', saml: 'v2' }
const documentOf = (kind: Kind, spec: object = {}, metadata: object = {}): string =>
  stringify({ kind, version: versions[kind], metadata: { name: 'it', ...metadata }, spec: { ...specs[kind], ...spec } })
const create = (kind: Kind, spec: object = {}, metadata: object = {}) =>
  alice.call(calls[kind].create, { body: { content: documentOf(kind, spec, metadata) } })
const itemOf = (body: unknown) => resourceItemWire.parse(body)
const contentOf = (body: unknown): { metadata: { name: string }; spec: Record<string, unknown> } => parse(itemOf(body).content)

describe.each([
  ['R7-094, R7-095, R7-096, R7-097, R8-053: github', 'github', ['T8000I', 'T8001I']],
  ['R8-054: oidc', 'oidc', ['T8100I', 'T8101I']],
  ['R8-055: saml', 'saml', ['T8200I', 'T8201I']],
] as const)('%s', (_, kind, [saved, removed]) => {
  test('made, listed, changed and removed, each with its event', async () => {
    const made = await create(kind)
    expect(made).toMatchObject({ status: 200, body: { id: `${kind}:it`, kind, name: 'it' } })
    const listed = resourceItemsWire.parse((await alice.call(calls[kind].list)).body)
    expect(listed).toEqual([made.body])
    const changed = { content: documentOf(kind, { display: 'Work account' }) }
    const update = await alice.call(calls[kind].update, { params: { name: 'it' }, body: changed })
    expect(contentOf(update.body).spec['display']).toBe('Work account')
    expect((await alice.call(calls[kind].remove, { params: { name: 'it' } })).body).toEqual({ message: 'ok' })
    expect((await alice.call(calls[kind].list)).body).toEqual([])
    expect(await api.events(saved)).toMatchObject([
      { user: 'alice', name: 'it' },
      { user: 'alice', name: 'it' },
    ])
    expect(await api.events(removed)).toMatchObject([{ user: 'alice', name: 'it' }])
  })
  test('what exists, what is missing, another name, another kind', async () => {
    await create(kind)
    expect(await create(kind)).toMatchObject({ status: 409, message: 'resource with name "it" already exists' })
    const body = { content: documentOf(kind, {}, { name: 'other' }) }
    expect(await alice.call(calls[kind].update, { params: { name: 'it' }, body })).toMatchObject({ status: 400 })
    const missing = { status: 404, message: 'resource with name "other" does not exist' }
    expect(await alice.call(calls[kind].update, { params: { name: 'other' }, body })).toMatchObject(missing)
    expect(await alice.call(calls[kind].remove, { params: { name: 'other' } })).toMatchObject(missing)
    const role = 'kind: role\nversion: v6\nmetadata: {name: x}\nspec: {}\n'
    expect(await alice.call(calls[kind].create, { body: { content: role } })).toMatchObject({
      status: 400,
      message: 'resource kind "role" is invalid',
    })
    expect(await alice.call(calls[kind].create, { body: { content: ':' } })).toMatchObject({
      status: 400,
      message: expect.stringMatching(/^not a valid resource declaration/),
    })
    expect(await api.events(saved)).toHaveLength(1)
  })
  test('a secret is sealed where it lies, masked where it is read, and kept when the mask comes back', async () => {
    const made = await create(kind)
    expect(itemOf(made.body).content).toContain('********')
    for (const text of [made.text, (await alice.call(calls[kind].list)).text]) expect(text).not.toContain('hush')
    const rows = await api.context.db.selectFrom('resources').selectAll().where('kind', '=', kind).execute()
    expect(JSON.stringify(rows)).not.toContain('hush')
    const body = { content: itemOf(made.body).content.replace('display: ""', 'display: shown') }
    expect(await alice.call(calls[kind].update, { params: { name: 'it' }, body })).toMatchObject({ status: 200 })
    expect(JSON.stringify(await api.context.connectors[kind].opened('it'))).toContain('hush')
  })
  test('the mask stands for nothing where nothing is stored', async () => {
    const masked = documentOf(kind).replace('hush', '"********"')
    expect(await alice.call(calls[kind].create, { body: { content: masked } })).toMatchObject({
      status: 400,
      message: expect.stringContaining('give the secret itself'),
    })
  })
  test('who may read without secrets learns none; the rights of auth_connector cover it; a denial of the kind wins', async () => {
    await create(kind)
    const roleWith = (allow: Rule[], deny: Rule[] = []) => ({
      metadata: { name: 'reader' },
      spec: { allow: { rules: allow }, deny: { rules: deny } },
    })
    const { roles } = api.context
    await roles.create(roleWith([{ resources: [kind], verbs: ['list', 'readnosecrets'] }]))
    const dan = await signedIn(api, 'dan')
    const user = await api.context.users.require('dan')
    await api.context.users.update({ ...user, spec: { ...user.spec, roles: ['reader'] } })
    const blank = await dan.call(calls[kind].list)
    expect(blank).toMatchObject({ status: 200, body: [{ name: 'it' }] })
    expect(blank.text).not.toContain('********')
    await roles.update(roleWith([{ resources: [kind], verbs: ['list'] }]))
    expect(await dan.call(calls[kind].list)).toMatchObject({ status: 403 })
    await roles.update(roleWith([{ resources: ['auth_connector'], verbs: ['list', 'read'] }]))
    expect((await dan.call(calls[kind].list)).text).toContain('********')
    await roles.update(roleWith([{ resources: ['auth_connector'], verbs: ['*'] }], [{ resources: [kind], verbs: ['list'] }]))
    expect(await dan.call(calls[kind].list)).toMatchObject({ status: 403 })
  })
})

test.each(['oidc', 'github'] as const)('%s: a stored secret does not follow to another address', async (kind) => {
  const made = await create(kind, kind === 'github' ? { endpoint_url: 'https://github.example' } : {})
  const { content } = itemOf(made.body)
  const moved = content.replace('https://id.example', 'https://evil.example').replace('https://github.example', 'https://evil.example')
  expect(moved).not.toBe(content)
  expect(await alice.call(calls[kind].update, { params: { name: 'it' }, body: { content: moved } })).toMatchObject({
    status: 400,
    message: "spec.client_secret: enter the secret again, because the provider's address was changed",
  })
})

test.each<[string, Kind, object, RegExp, object?]>([
  ['no mapping', 'github', { teams_to_roles: [] }, /spec\.teams_to_roles: map at least one team to roles/],
  [
    'no organization',
    'github',
    { teams_to_roles: [{ organization: '', team: 't', roles: ['access'] }] },
    /organization: give the organization/,
  ],
  ['no team', 'github', { teams_to_roles: [{ organization: 'o', team: '', roles: ['access'] }] }, /team: give the team/],
  ['reserved name', 'oidc', {}, /"passwordless" is reserved/, { name: 'passwordless' }],
  ['name with a slash', 'oidc', {}, /may hold letters/, { name: 'a/b' }],
  ['no client id', 'oidc', { client_id: '' }, /spec\.client_id: give the id/],
  ['no issuer', 'oidc', { issuer_url: 'nothing' }, /spec\.issuer_url: "nothing" is no address/],
  ['no way back', 'oidc', { redirect_url: [] }, /spec\.redirect_url/],
  ['no mapping', 'oidc', { claims_to_roles: [] }, /map at least one claim to roles/],
  ['a mapping without roles', 'oidc', { claims_to_roles: [{ claim: 'a', value: 'b', roles: [] }] }, /give at least one role/],
  ['a broken expression', 'oidc', { claims_to_roles: [{ claim: 'a', value: '^($', roles: ['x'] }] }, /is not a valid expression/],
  ['a look-around', 'oidc', { claims_to_roles: [{ claim: 'a', value: '^(?=a)$', roles: ['x'] }] }, /is not a valid expression/],
  ['Google groups', 'oidc', { google_admin_email: 'a@b.c' }, /groups of Google Workspace are not read/],
  ['an unknown field', 'oidc', { colour: 'red' }, /unknown field "spec\.colour"/],
  ['no acs', 'saml', { acs: '' }, /spec\.acs: give the address/],
  ['no provider', 'saml', { issuer: '' }, /give entity_descriptor or entity_descriptor_url, or issuer, sso and cert/],
  [
    'a role that does not exist',
    'saml',
    { attributes_to_roles: [{ name: 'a', value: 'b', roles: ['ghost'] }] },
    /role "ghost" does not exist/,
  ],
  [
    'begun at the provider, another acs',
    'saml',
    { allow_idp_initiated: true, acs: 'https://proxy.example/v1/webapi/saml/acs' },
    /must end in \/it/,
  ],
  ['half a key pair', 'saml', { assertion_key_pair: { private_key: 'x', cert: '' } }, /give private_key and cert, or neither/],
])('%s of %s is refused', async (_, kind, spec, reason, metadata = {}) => {
  expect(await create(kind, spec, metadata)).toMatchObject({ status: 400, message: expect.stringMatching(reason) })
})

test.each([
  ['http://id.example', /must begin with https/],
  ['https://169.254.169.254/latest', /no address of a provider/],
  ['https://[fe80::1]/', /no address of a provider/],
  ['https://[::ffff:169.254.169.254]/', /no address of a provider/],
  ['https://[64:ff9b::a9fe:a9fe]/', /no address of a provider/],
  ['https://0.0.0.0/', /no address of a provider/],
  ['https://2852039166/', /no address of a provider/],
  ['https://user:pass@id.example', /must not carry a user name/],
  ['file:///etc/passwd', /must begin with https/],
  ['gopher://id.example', /must begin with https/],
])('the proxy never calls %s', async (address, reason) => {
  for (const [kind, field] of [
    ['oidc', 'issuer_url'],
    ['saml', 'entity_descriptor_url'],
    ['github', 'endpoint_url'],
    ['github', 'api_endpoint_url'],
  ] as const)
    expect(await create(kind, { [field]: address })).toMatchObject({ status: 400, message: expect.stringMatching(reason) })
})

describe('the default', () => {
  test('is local sign-in, and what config.js and ping tell follows it', async () => {
    expect((await alice.call(readDefault)).body).toEqual({ type: 'local', name: '', localAuthEnabled: true })
    await create('github')
    await create('saml', { display: 'Corp' }, { name: 'it' })
    await create('oidc')
    expect(await alice.call(setDefault, { body: { type: 'oidc', name: 'ghost' } })).toMatchObject({ status: 400 })
    expect((await alice.call(setDefault, { body: { type: 'saml', name: 'it' } })).body).toMatchObject({ type: 'saml', name: 'it' })
    expect(await api.events('TCAUTH001I')).toMatchObject([{ user: 'alice' }])
    const script = (await api.browser().send('GET', '/web/config.js')).text
    const { auth } = JSON.parse(/\{.*\}/s.exec(script)?.[0] ?? '')
    expect(auth).toMatchObject({
      authType: 'saml',
      providers: [
        { name: 'it', type: 'oidc', url: '/v1/webapi/oidc/login/web?connector_id=:providerName&redirect_url=:redirect' },
        { name: 'it', type: 'saml', displayName: 'Corp', url: '/v1/webapi/saml/sso?connector_id=:providerName&redirect_url=:redirect' },
        { name: 'it', type: 'github', url: '/v1/webapi/github/login/web?connector_id=:providerName&redirect_url=:redirect' },
      ],
    })
    const answer = await api.browser().call(ping)
    expect(answer.body).toMatchObject({ auth: { type: 'saml', saml: { name: 'it', display: 'Corp' } } })
    expect(answer.text).not.toContain('allow_passwordless')
  })
  test('a ping by name', async () => {
    await create('github', {}, { name: 'gh' })
    const named = (connector: string) => api.browser().call(pingConnector, { params: { connector } })
    expect((await named('gh')).body).toMatchObject({ auth: { type: 'github', github: { name: 'gh' } }, min_client_version: '' })
    expect(await named('x')).toMatchObject({
      status: 400,
      message: 'invalid connector name: x; valid options: local, passwordless, headless, gh',
    })
  })
  test('when it is removed, local sign-in comes first again', async () => {
    await create('oidc')
    await alice.call(setDefault, { body: { type: 'oidc', name: 'it' } })
    await alice.call(removeOidc, { params: { name: 'it' } })
    expect((await alice.call(readDefault)).body).toEqual({ type: 'local', name: '', localAuthEnabled: true })
    expect(await api.browser().call(ping)).toMatchObject({ status: 200, body: { auth: { type: 'local' } } })
  })
})

test('an export masks secrets unless they are asked for, and with them it restores a connector elsewhere', async () => {
  await create('oidc')
  const kind = requireKind(api.context.managedKinds, 'oidc')
  expect(await kind.read('it', false)).toContain('********')
  const whole = await kind.read('it', true)
  expect(whole).toContain('hush')
  await using other = await openProxyApi()
  const there = requireKind(other.context.managedKinds, 'oidc')
  expect(await there.apply(parseDocument(whole), { force: false, by: 'cli' })).toBe('created')
  expect((await other.context.connectors.oidc.opened('it'))?.spec.client_secret).toBe('hush')
  await expect(there.apply(parseDocument(whole), { force: false, by: 'cli' })).rejects.toThrow('exists already')
})
