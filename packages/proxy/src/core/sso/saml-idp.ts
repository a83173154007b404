/** What a SAML connector says about its identity provider: from its own fields, an entity descriptor, or the address of one. */
import type { SamlSpec } from '../connectors/saml-connector.ts'
import { isLoopbackUrl } from '../connectors/urls.ts'
import { createOutbound } from './outbound.ts'
import { attributeOf, childrenOf, readXml, textOf } from './saml-xml.ts'
import type { XmlElement } from './saml-xml.ts'
import { SsoError } from './sso-error.ts'

export interface SamlIdp {
  /** Entity id. */
  issuer: string
  /** Where browsers go to sign in. */
  sso: string
  /** PEM. */
  certificates: string[]
}

const redirectBinding = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'

/** Throws SsoError when something is missing. */
export async function readIdp(spec: SamlSpec): Promise<SamlIdp> {
  const descriptor = spec.entity_descriptor || (spec.entity_descriptor_url === '' ? '' : await download(spec.entity_descriptor_url))
  const described = descriptor === '' ? undefined : await readDescriptor(descriptor)
  const idp = {
    issuer: spec.issuer || (described?.issuer ?? ''),
    sso: spec.sso || (described?.sso ?? ''),
    certificates: [...(described?.certificates ?? []), ...splitPem(spec.cert)],
  }
  if (idp.issuer === '') throw new SsoError('callback', 'the entity descriptor names no entityID')
  if (idp.sso === '') throw new SsoError('callback', 'the entity descriptor has no sign-in address for redirects')
  if (idp.certificates.length === 0) throw new SsoError('callback', 'the entity descriptor holds no certificate for signatures')
  const address = URL.parse(idp.sso)
  if (address?.protocol !== 'https:' && !(address && isLoopbackUrl(address)))
    throw new SsoError('callback', `the provider's sign-in page ${idp.sso} is not served over https`)
  return idp
}

async function download(address: string): Promise<string> {
  const response = await createOutbound(address)(address)
  if (response.status !== 200) throw new SsoError('callback', `the provider answered ${response.status} for its entity descriptor`)
  return response.text()
}

async function readDescriptor(xml: string): Promise<SamlIdp> {
  const document = await readXml(xml, 'the entity descriptor')
  const [entity] = childrenOf({ entity: [document['EntityDescriptor'] ?? {}] }, 'entity')
  const [idp] = childrenOf(entity, 'IDPSSODescriptor')
  if (!idp) throw new SsoError('callback', 'the entity descriptor describes no identity provider')
  const service = childrenOf(idp, 'SingleSignOnService').find((one) => attributeOf(one, 'Binding') === redirectBinding)
  return { issuer: attributeOf(entity, 'entityID'), sso: attributeOf(service, 'Location'), certificates: certificatesOf(idp) }
}

const certificatesOf = (idp: XmlElement): string[] =>
  childrenOf(idp, 'KeyDescriptor')
    .filter((key) => attributeOf(key, 'use') !== 'encryption')
    .flatMap((key) => childrenOf(key, 'KeyInfo'))
    .flatMap((info) => childrenOf(info, 'X509Data'))
    .flatMap((data) => childrenOf(data, 'X509Certificate'))
    .map((certificate) => pemOf(textOf(certificate)))

const pemOf = (base64: string): string =>
  `-----BEGIN CERTIFICATE-----\n${(base64.replaceAll(/\s/g, '').match(/.{1,64}/g) ?? []).join('\n')}\n-----END CERTIFICATE-----\n`

const splitPem = (text: string): string[] =>
  [...text.matchAll(/-----BEGIN CERTIFICATE-----([^-]*)-----END CERTIFICATE-----/g)].map(([, body = '']) => pemOf(body))
