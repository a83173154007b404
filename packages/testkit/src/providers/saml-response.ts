/** SAML responses as an identity provider writes and signs them, with every part open to a test's changes. */
import { randomUUID } from 'node:crypto'
import { SignedXml } from 'xml-crypto'

export interface SigningKey {
  /** PEM. */
  privateKey: string
  certificate: string
}

export interface ResponseParts {
  issuer: string
  acs: string
  audience: string
  /** Undefined: the sign-in began at the provider. */
  requestId: string | undefined
  nameId: string
  attributes: Readonly<Record<string, readonly string[]>>
  notBefore: Date
  notOnOrAfter: Date
  /** Overrides of single values. */
  recipient?: string
  responseRequestId?: string
  subjectRequestId?: string
  assertionId?: string
  method?: string
  /** No audience restriction at all. */
  anybody?: boolean
}

export type Signed = 'assertion' | 'response' | 'both' | 'none'

export const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const idOf = (): string => `_${randomUUID()}`
const attribute = (name: string, value: string | undefined): string => (value === undefined ? '' : ` ${name}="${escapeXml(value)}"`)

export function assertionXml(parts: ResponseParts): string {
  const { issuer, acs, audience, nameId, attributes, notBefore, notOnOrAfter, anybody = false } = parts
  const subjectRequestId = parts.subjectRequestId ?? parts.requestId
  const values = Object.entries(attributes).map(
    ([name, list]) =>
      `<saml:Attribute Name="${escapeXml(name)}">${list.map((value) => `<saml:AttributeValue>${escapeXml(value)}</saml:AttributeValue>`).join('')}</saml:Attribute>`,
  )
  return (
    `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${parts.assertionId ?? idOf()}" Version="2.0" IssueInstant="${new Date().toISOString()}">` +
    `<saml:Issuer>${escapeXml(issuer)}</saml:Issuer>` +
    `<saml:Subject><saml:NameID Format="urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress">${escapeXml(nameId)}</saml:NameID>` +
    `<saml:SubjectConfirmation Method="${parts.method ?? 'urn:oasis:names:tc:SAML:2.0:cm:bearer'}">` +
    `<saml:SubjectConfirmationData NotOnOrAfter="${notOnOrAfter.toISOString()}"${attribute('Recipient', parts.recipient ?? acs)}${attribute('InResponseTo', subjectRequestId)}/>` +
    `</saml:SubjectConfirmation></saml:Subject>` +
    `<saml:Conditions NotBefore="${notBefore.toISOString()}" NotOnOrAfter="${notOnOrAfter.toISOString()}">` +
    (anybody ? '' : `<saml:AudienceRestriction><saml:Audience>${escapeXml(audience)}</saml:Audience></saml:AudienceRestriction>`) +
    `</saml:Conditions>` +
    `<saml:AuthnStatement AuthnInstant="${new Date().toISOString()}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>` +
    `<saml:AttributeStatement>${values.join('')}</saml:AttributeStatement></saml:Assertion>`
  )
}

export function responseXml(parts: ResponseParts, content: string): string {
  const { issuer, acs, requestId } = parts
  return (
    `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="${idOf()}" Version="2.0" IssueInstant="${new Date().toISOString()}" Destination="${escapeXml(acs)}"${attribute('InResponseTo', parts.responseRequestId ?? requestId)}>` +
    `<saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${escapeXml(issuer)}</saml:Issuer>` +
    `<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>${content}</samlp:Response>`
  )
}

export interface SignOptions {
  signature?: string
  digest?: string
}

/** Signs the first element of that local name, as the standard places it: behind its issuer. */
export function signElement(
  xml: string,
  element: 'Assertion' | 'Response',
  { privateKey, certificate }: SigningKey,
  options: SignOptions = {},
): string {
  const path = element === 'Response' ? '/*[local-name(.)="Response"]' : '//*[local-name(.)="Assertion"]'
  const signed = new SignedXml({
    privateKey,
    publicCert: certificate,
    signatureAlgorithm: options.signature ?? 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    canonicalizationAlgorithm: 'http://www.w3.org/2001/10/xml-exc-c14n#',
  })
  signed.addReference({
    xpath: path,
    transforms: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', 'http://www.w3.org/2001/10/xml-exc-c14n#'],
    digestAlgorithm: options.digest ?? 'http://www.w3.org/2001/04/xmlenc#sha256',
  })
  signed.computeSignature(xml, { location: { reference: `${path}/*[local-name(.)="Issuer"]`, action: 'after' }, prefix: 'ds' })
  return signed.getSignedXml()
}

export function writeResponse(parts: ResponseParts, signed: Signed, key: SigningKey): string {
  const plain = assertionXml(parts)
  const assertion = signed === 'assertion' || signed === 'both' ? signElement(plain, 'Assertion', key) : plain
  const response = responseXml(parts, assertion)
  return signed === 'response' || signed === 'both' ? signElement(response, 'Response', key) : response
}
