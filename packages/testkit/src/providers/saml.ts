/** A SAML identity provider on loopback. Whoever comes picks one of its accounts. */
import { generateKeyPairSync } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import { accountForm, readForm, sendHtml, startProviderServer } from './provider-server.ts'
import type { ProviderServer } from './provider-server.ts'
import { escapeXml, writeResponse } from './saml-response.ts'
import type { ResponseParts, Signed, SigningKey } from './saml-response.ts'

export interface SamlAccount {
  nameId: string
  attributes: Readonly<Record<string, readonly string[]>>
}

export interface SamlTestProvider extends ProviderServer {
  readonly entityId: string
  readonly key: SigningKey
  /** Entity descriptor. */
  readonly metadata: string
  /** What an honest response for an account holds; a test changes what it likes. */
  parts(account: string, to: { acs: string; requestId: string | undefined }): ResponseParts
  /** Base64, as the form field carries it. */
  respond(parts: ResponseParts, signed?: Signed): string
}

const minute = 60_000
const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }

export async function createSigningKey(): Promise<SigningKey> {
  // The library insists on this being loaded before it.
  await import('reflect-metadata')
  const { X509CertificateGenerator } = await import('@peculiar/x509')
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: 'CN=identity provider of tests',
    notBefore: new Date(Date.now() - 60 * minute),
    notAfter: new Date(Date.now() + 24 * 60 * minute),
    signingAlgorithm: algorithm,
    keys: {
      privateKey: privateKey.toCryptoKey(algorithm, false, ['sign']) as CryptoKey,
      publicKey: publicKey.toCryptoKey(algorithm, true, ['verify']) as CryptoKey,
    },
  })
  return { privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), certificate: `${certificate.toString('pem')}\n` }
}

export const encodeResponse = (xml: string): string => Buffer.from(xml).toString('base64')

/** ID and address for the answer, from the query of a sign-in by redirect. */
export function readAuthnRequest(query: URLSearchParams): { id: string; acs: string; issuer: string } {
  const xml = inflateRawSync(Buffer.from(query.get('SAMLRequest') ?? '', 'base64')).toString('utf8')
  const find = (pattern: RegExp): string => pattern.exec(xml)?.[1] ?? ''
  return {
    id: find(/\bID="([^"]*)"/),
    acs: find(/AssertionConsumerServiceURL="([^"]*)"/),
    issuer: find(/<saml:Issuer[^>]*>([^<]*)</),
  }
}

export async function startSamlProvider(accounts: Readonly<Record<string, SamlAccount>>): Promise<SamlTestProvider> {
  const key = await createSigningKey()
  const base64 = key.certificate.replaceAll(/-----[^-]*-----|\s/g, '')
  const metadataOf = (origin: string): string =>
    `<?xml version="1.0"?><md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${origin}/metadata">` +
    `<md:IDPSSODescriptor WantAuthnRequestsSigned="false" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">` +
    `<md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>${base64}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>` +
    `<md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${origin}/post"/>` +
    `<md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${origin}/sso"/>` +
    `</md:IDPSSODescriptor></md:EntityDescriptor>`
  const partsOf = (origin: string, account: string, { acs, requestId }: { acs: string; requestId: string | undefined }): ResponseParts => {
    const known = accounts[account]
    if (!known) throw new Error(`the provider has no account "${account}"`)
    return {
      ...known,
      issuer: `${origin}/metadata`,
      acs,
      audience: acs,
      requestId,
      notBefore: new Date(Date.now() - minute),
      notOnOrAfter: new Date(Date.now() + 5 * minute),
    }
  }
  const server = await startProviderServer((origin) => async (request, response) => {
    const url = new URL(request.url ?? '/', origin)
    if (url.pathname === '/metadata') {
      response.writeHead(200, { 'content-type': 'application/samlmetadata+xml' })
      return void response.end(metadataOf(origin))
    }
    if (request.method === 'GET') return sendHtml(response, accountForm(Object.keys(accounts)))
    const { id, acs } = readAuthnRequest(url.searchParams)
    const parts = partsOf(origin, (await readForm(request)).get('account') ?? '', { acs, requestId: id })
    const field = encodeResponse(writeResponse(parts, 'assertion', key))
    return sendHtml(
      response,
      `<form method="post" action="${escapeXml(acs)}"><input type="hidden" name="SAMLResponse" value="${field}"><button>Continue</button></form><script>document.forms[0].submit()</script>`,
    )
  })
  return {
    ...server,
    entityId: `${server.origin}/metadata`,
    key,
    metadata: metadataOf(server.origin),
    parts: (account, to) => partsOf(server.origin, account, to),
    respond: (parts, signed = 'assertion') => encodeResponse(writeResponse(parts, signed, key)),
  }
}
