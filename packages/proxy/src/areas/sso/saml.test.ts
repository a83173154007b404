/** Signing in through a SAML identity provider: what passes, and everything that must not. */
import { samlMetadata } from '@sallyport/wire/calls/sso.ts'
import { createSigningKey, encodeResponse, readAuthnRequest, startSamlProvider } from '@sallyport/testkit/providers/saml.ts'
import type { SamlTestProvider } from '@sallyport/testkit/providers/saml.ts'
import { assertionXml, responseXml, signElement, writeResponse } from '@sallyport/testkit/providers/saml-response.ts'
import type { ResponseParts, Signed, SigningKey } from '@sallyport/testkit/providers/saml-response.ts'
import { createForeignIdp } from '@sallyport/testkit/providers/samlify.ts'
import { addressOf, postForm, startSso, targetOf } from '@sallyport/testkit/providers/sso-flow.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { Answer, ApiBrowser, ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

const acs = 'http://localhost:3080/v1/webapi/saml/acs/corp'
const path = '/v1/webapi/saml/acs/corp'
const callbackPage = '/web/msg/error/login/callback'
let provider: SamlTestProvider
let stranger: SigningKey
let api: ProxyApi
let browser: ApiBrowser

beforeAll(async () => {
  provider = await startSamlProvider({
    erin: { nameId: 'erin@example.com', attributes: { groups: ['engineers', 'staff'], title: ['<script>alert(1)</script>'] } },
    nobody: { nameId: 'nobody@example.com', attributes: { groups: ['guests'] } },
  })
  stranger = await createSigningKey()
})
afterAll(() => provider[Symbol.asyncDispose]())

const documentOf = (spec: object = {}) => ({
  metadata: { name: 'corp' },
  spec: {
    acs,
    entity_descriptor: provider.metadata,
    attributes_to_roles: [{ name: 'groups', value: 'engineers', roles: ['access'] }],
    ...spec,
  },
})
beforeEach(async () => {
  api = await openProxyApi()
  browser = api.browser().trustPage()
  await api.context.connectors.saml.create(documentOf())
  return () => api[Symbol.asyncDispose]()
})

async function start(redirect = 'http://localhost:3080/web/cluster/sallyport/nodes'): Promise<string> {
  const answer = await startSso(browser, { type: 'saml', connector: 'corp', redirect })
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  const url = new URL(addressOf(answer))
  expect(url.origin + url.pathname).toBe(`${provider.origin}/sso`)
  const request = readAuthnRequest(url.searchParams)
  expect(request).toMatchObject({ acs, issuer: acs })
  return request.id
}
const partsFor = (requestId: string | undefined, change: Partial<ResponseParts> = {}, account = 'erin'): ResponseParts => ({
  ...provider.parts(account, { acs, requestId }),
  ...change,
})
const post = (response: string, fields: Record<string, string> = {}): Promise<Answer> =>
  postForm(browser, path, { SAMLResponse: response, ...fields })

async function expectRefused(answer: Answer, page: string, reason: RegExp): Promise<void> {
  expect(targetOf(answer)).toBe(page)
  expect(answer.setCookies).toEqual([])
  expect(await api.events('T1001I')).toEqual([])
  expect(await api.events('T1001W')).toMatchObject([{ method: 'saml', success: false, error: expect.stringMatching(reason) }])
  expect(await api.context.users.list()).toEqual([])
}

describe('R8-041: signed in', () => {
  test.each<Signed>(['assertion', 'response', 'both'])('by a signed %s', async (signed) => {
    const answer = await post(provider.respond(partsFor(await start()), signed))
    expect(targetOf(answer)).toBe('/web/cluster/sallyport/nodes')
    expect(answer.setCookies).toHaveLength(1)
    expect((await api.context.users.require('erin@example.com')).spec).toMatchObject({
      roles: ['access'],
      traits: { groups: ['engineers', 'staff'], title: ['<script>alert(1)</script>'] },
      created_by: { connector: { type: 'saml', id: 'corp' } },
    })
    expect(await api.events('T1001I')).toMatchObject([
      { user: 'erin@example.com', method: 'saml', attributes: { groups: ['engineers', 'staff'] } },
    ])
  })
  test('at the address without a name as well', async () => {
    const answer = await postForm(browser, '/v1/webapi/saml/acs', { SAMLResponse: provider.respond(partsFor(await start())) })
    expect(answer.setCookies).toHaveLength(1)
  })
  test('with the entity descriptor read from its address, or issuer, sso and cert given', async () => {
    const { saml } = api.context.connectors
    await saml.update(documentOf({ entity_descriptor: '', entity_descriptor_url: `${provider.origin}/metadata` }))
    expect((await post(provider.respond(partsFor(await start())))).setCookies).toHaveLength(1)
    const own = { issuer: provider.entityId, sso: `${provider.origin}/sso`, cert: provider.key.certificate }
    await saml.update(documentOf({ entity_descriptor: '', ...own }))
    expect((await post(provider.respond(partsFor(await start())))).setCookies).toHaveLength(1)
  })
  test('with requests that this side signs', async () => {
    const { privateKey, certificate } = await createSigningKey()
    await api.context.connectors.saml.update(documentOf({ signing_key_pair: { private_key: privateKey, cert: certificate } }))
    const address = addressOf(await startSso(browser, { type: 'saml', connector: 'corp' }))
    expect(new URL(address).searchParams.get('SigAlg')).toBe('http://www.w3.org/2001/04/xmldsig-more#rsa-sha256')
    const metadata = await api.browser().call(samlMetadata, { params: { connector: 'corp' } })
    expect(metadata.text).toContain(certificate.replaceAll(/-----[^-]*-----|\s/g, '').slice(0, 64))
    expect(metadata.text).not.toContain(privateKey.slice(40, 90))
  })
})

describe('an identity provider of another library', () => {
  test.each([false, true])('reads our metadata and our request, and is understood (encrypted: %s)', async (encrypted) => {
    const idp = createForeignIdp(provider.key, { encrypted })
    const own = await createSigningKey()
    await api.context.connectors.saml.update(
      documentOf({
        entity_descriptor: idp.metadata,
        ...(encrypted ? { assertion_key_pair: { private_key: own.privateKey, cert: own.certificate } } : {}),
      }),
    )
    const metadata = await api.browser().call(samlMetadata, { params: { connector: 'corp' } })
    const { searchParams } = new URL(addressOf(await startSso(browser, { type: 'saml', connector: 'corp' })))
    const response = await idp.answer(metadata.text, searchParams, { nameId: 'erin@example.com', groups: 'engineers' })
    expect(Buffer.from(response, 'base64').toString('utf8').includes('EncryptedAssertion')).toBe(encrypted)
    await post(response)
    expect(await api.events('T1001W')).toEqual([])
    expect(await api.events('T1001I')).toMatchObject([{ user: 'erin@example.com', attributes: { groups: ['engineers'] } }])
  })
})

test('R2-044: no role is mapped', async () => {
  const answer = await post(provider.respond(partsFor(await start(), {}, 'nobody')))
  await expectRefused(answer, '/web/msg/error/login/auth', /no role is mapped to nobody@example.com/)
})

const hour = 3_600_000
describe('an honest signature under a wrong assertion', () => {
  test.each<[string, (requestId: string) => Partial<ResponseParts>, RegExp]>([
    ['for another audience', () => ({ audience: 'https://other.example' }), /audience/],
    ['for anybody', () => ({ anybody: true }), /AudienceRestriction/],
    ['for another address', () => ({ recipient: 'https://other.example/acs' }), /is meant for/],
    ['by another issuer', () => ({ issuer: 'https://evil.example' }), /is by "https:\/\/evil.example"/],
    ['expired', () => ({ notOnOrAfter: new Date(Date.now() - hour) }), /has expired/],
    ['not yet valid', () => ({ notBefore: new Date(Date.now() + hour), notOnOrAfter: new Date(Date.now() + 2 * hour) }), /counts from/],
    ['in answer to another request', () => ({ subjectRequestId: '_0123' }), /another request/],
    ['not confirmed by its bearer', () => ({ method: 'urn:oasis:names:tc:SAML:2.0:cm:sender-vouches' }), /bearer/],
    ['about nobody', () => ({ nameId: ' ' }), /names nobody/],
    ['about a name that no user can have', () => ({ nameId: '../<b>' }), /may hold letters/],
  ])('%s', async (_, change, reason) => {
    const requestId = await start()
    await expectRefused(await post(provider.respond(partsFor(requestId, change(requestId)))), callbackPage, reason)
  })
  test('one of a sign-in at the provider, put into an answer to a request', async () => {
    const requestId = await start()
    const unasked = assertionXml(partsFor(undefined))
    const xml = responseXml(partsFor(requestId), signElement(unasked, 'Assertion', provider.key))
    await expectRefused(await post(encodeResponse(xml)), callbackPage, /another request/)
  })
  test.each([
    ['a little late', 30_000],
    ['a little early', -30_000],
  ])('a clock that is %s is forgiven', async (_, offset) => {
    const now = Date.now()
    const requestId = await start()
    const change = offset > 0 ? { notOnOrAfter: new Date(now - offset) } : { notBefore: new Date(now - offset) }
    expect((await post(provider.respond(partsFor(requestId, change)))).setCookies).toHaveLength(1)
  })
})

describe('a wrong signature', () => {
  test.each<[string, (parts: ResponseParts) => string, RegExp]>([
    ['none', (parts) => writeResponse(parts, 'none', provider.key), /signature/],
    ['of a stranger', (parts) => writeResponse(parts, 'both', stranger), /signature/],
    [
      'over another name',
      (parts) => writeResponse(parts, 'assertion', provider.key).replace('erin@example.com', 'alice@example.com'),
      /signature/,
    ],
    ['over other groups', (parts) => writeResponse(parts, 'response', provider.key).replace('>staff<', '>admins<'), /signature/],
    [
      'by SHA-1',
      (parts) =>
        responseXml(
          parts,
          signElement(assertionXml(parts), 'Assertion', provider.key, {
            signature: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1',
            digest: 'http://www.w3.org/2000/09/xmldsig#sha1',
          }),
        ),
      /SHA-256/,
    ],
    ['a document type', (parts) => `<!DOCTYPE r [<!ENTITY a "b">]>${writeResponse(parts, 'both', provider.key)}`, /document type/],
    ['no XML', () => 'nothing', /no XML/],
    ['another document', () => '<html></html>', /none of SAML/],
    ['a mountain of tags', (parts) => responseXml(parts, '<a/>'.repeat(5000)), /more than 4000 tags/],
    ['a mountain of text', (parts) => responseXml(parts, 'x'.repeat(300_000)), /larger than/],
    ['two assertions', (parts) => twice(parts), /multiple assertions/],
  ])('%s', async (_, write, reason) => {
    await expectRefused(await post(encodeResponse(write(partsFor(await start())))), callbackPage, reason)
  })
})
const twice = (parts: ResponseParts): string => {
  const signed = signElement(assertionXml(parts), 'Assertion', provider.key)
  const other = signElement(assertionXml({ ...parts, nameId: 'alice@example.com' }), 'Assertion', provider.key)
  return responseXml(parts, signed + other)
}

/** Signature wrapping: a validly signed piece stays in the document while another one is to be read. */
describe('signature wrapping', () => {
  const signatureOf = (xml: string): string => /<ds:Signature[\s\S]*<\/ds:Signature>/.exec(xml)?.[0] ?? ''
  const evilOf = (parts: ResponseParts, id = '_evil'): string =>
    assertionXml({ ...parts, nameId: 'alice@example.com', attributes: { groups: ['engineers', 'admins'] }, assertionId: id })
  const inside = (outer: string, inner: string): string => outer.replace('</saml:Assertion>', `${inner}</saml:Assertion>`)
  const afterIssuer = (xml: string, what: string): string => xml.replace('</saml:Issuer>', `</saml:Issuer>${what}`)
  const withObject = (signature: string, content: string): string =>
    signature.replace('</ds:Signature>', `<ds:Object>${content}</ds:Object></ds:Signature>`)
  const id = '_honest'
  const signedOf = (parts: ResponseParts): string => signElement(assertionXml({ ...parts, assertionId: id }), 'Assertion', provider.key)
  const bare = (signed: string): string => signed.replace(signatureOf(signed), '')

  test.each<[string, (parts: ResponseParts) => string]>([
    ['evil before the signed one', (parts) => responseXml(parts, evilOf(parts) + signedOf(parts))],
    ['evil behind the signed one', (parts) => responseXml(parts, signedOf(parts) + evilOf(parts))],
    ['the signed one inside evil', (parts) => responseXml(parts, inside(evilOf(parts), signedOf(parts)))],
    [
      'evil with the signature, the signed one behind it',
      (parts) => {
        const signed = signedOf(parts)
        return responseXml(parts, afterIssuer(evilOf(parts), signatureOf(signed)) + bare(signed))
      },
    ],
    [
      'the signed one inside the signature of evil',
      (parts) => {
        const signed = signedOf(parts)
        return responseXml(parts, afterIssuer(evilOf(parts), withObject(signatureOf(signed), bare(signed))))
      },
    ],
    ['evil under the same id before it', (parts) => responseXml(parts, evilOf(parts, id) + signedOf(parts))],
    [
      'evil with signature and the same id',
      (parts) => {
        const signed = signedOf(parts)
        return responseXml(parts, afterIssuer(evilOf(parts, id), withObject(signatureOf(signed), bare(signed))))
      },
    ],
    [
      'the signed one in the extensions',
      (parts) => responseXml(parts, `<samlp:Extensions>${signedOf(parts)}</samlp:Extensions>${evilOf(parts)}`),
    ],
    [
      'a signed response inside an evil one',
      (parts) => {
        const signed = writeResponse(parts, 'response', provider.key)
        return responseXml(parts, withObject(signatureOf(signed), bare(signed)) + evilOf(parts))
      },
    ],
    [
      'a signed response beside evil in an evil one',
      (parts) => {
        const signed = writeResponse(parts, 'response', provider.key)
        return responseXml(parts, signatureOf(signed) + evilOf(parts) + bare(signed))
      },
    ],
    [
      'evil added to a signed response',
      (parts) => writeResponse(parts, 'response', provider.key).replace('</samlp:Response>', `${evilOf(parts)}</samlp:Response>`),
    ],
    [
      'evil in the place of the assertion that was signed',
      (parts) => {
        const signed = signedOf(parts)
        return responseXml(parts, afterIssuer(evilOf(parts, id), signatureOf(signed)))
      },
    ],
  ])('%s', async (_, write) => {
    await expectRefused(await post(encodeResponse(write(partsFor(await start())))), callbackPage, /./)
  })
  test('evil in the extensions is never read', async () => {
    const parts = partsFor(await start())
    await post(encodeResponse(responseXml(parts, `<samlp:Extensions>${evilOf(parts)}</samlp:Extensions>${signedOf(parts)}`)))
    expect((await api.context.users.list()).map(({ metadata }) => metadata.name)).not.toContain('alice@example.com')
  })
  test('a comment inside a name does not cut it', async () => {
    const parts = partsFor(await start(), { nameId: 'erin@example.com.evil.example' })
    const signed = writeResponse(parts, 'assertion', provider.key).replace('erin@example.com.evil', 'erin@example.com<!-- -->.evil')
    await post(encodeResponse(signed))
    expect((await api.context.users.list()).map(({ metadata }) => metadata.name)).toEqual(['erin@example.com.evil.example'])
  })
})

describe('the way back', () => {
  test('a response counts once', async () => {
    const response = provider.respond(partsFor(await start()))
    await post(response)
    const again = await post(response)
    expect([targetOf(again), again.setCookies]).toEqual([callbackPage, []])
  })
  test('an assertion counts once, even in answer to another request of its id', async () => {
    const { saml } = api.context.connectors
    await saml.update(documentOf({ allow_idp_initiated: true }))
    const response = provider.respond(partsFor(undefined))
    expect((await post(response)).setCookies).toHaveLength(1)
    const again = await post(response)
    expect([targetOf(again), again.setCookies]).toEqual([callbackPage, []])
    expect(await api.events('T1001W')).toMatchObject([{ error: 'the assertion was used before' }])
  })
  test('the answer to another browser', async () => {
    const response = provider.respond(partsFor(await start()))
    browser = api.browser()
    browser.cookies.set('__Host-grv_csrf', 'cd'.repeat(32))
    await expectRefused(await post(response), '/web/msg/error/login', /another browser/)
  })
  test('too late', async () => {
    const requestId = await start()
    api.clock.advance(10 * 60_000)
    await expectRefused(await post(provider.respond(partsFor(requestId))), callbackPage, /took too long/)
  })
  test('a sign-in that began at the provider, where that is not allowed', async () => {
    await expectRefused(await post(provider.respond(partsFor(undefined))), callbackPage, /takes no sign-in that begins at the provider/)
  })
  test.each([
    ['', '/web'],
    ['http://localhost:3080/web/users', '/web/users'],
    ['https://evil.example//evil.example/x', '/evil.example/x'],
    ['javascript:alert(1)', '/web'],
  ])('R2-112: where it is allowed, RelayState "%s" leads to %s', async (relayState, target) => {
    await api.context.connectors.saml.update(documentOf({ allow_idp_initiated: true }))
    browser = api.browser() // no CSRF cookie: the browser comes from elsewhere
    const answer = await post(provider.respond(partsFor(undefined)), { RelayState: relayState })
    expect([targetOf(answer), answer.setCookies.length]).toEqual([target, 1])
  })
})
