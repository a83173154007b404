/**
 * SAML 2.0. The library checks signatures and hands over what was signed, nothing else; whom the assertion is for, until
 * when, in answer to what, and that it was not used before is judged here, by this proxy's clock and store.
 */
import type { Profile, SAML } from '@node-saml/node-saml'
import type { Clock } from '../clock.ts'
import type { SamlConnector, SamlSpec } from '../connectors/saml-connector.ts'
import type { Claims } from '../connectors/mapping.ts'
import { readClaims } from './claims.ts'
import type { Proof, Provider } from './provider.ts'
import { readIdp } from './saml-idp.ts'
import type { SamlIdp } from './saml-idp.ts'
import { attributeOf, childrenOf, decodeResponse, requireStrongSignatures, textOf } from './saml-xml.ts'
import type { XmlElement } from './saml-xml.ts'
import { SsoError } from './sso-error.ts'
import type { SsoRequests } from './sso-requests.ts'

/** Milliseconds by which the provider's clock may differ. */
const skew = 60_000
/** An assertion without an end counts for as long. */
const longestAssertion = 10 * 60_000
const bearer = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'

/** Some hundred modules, of which a cluster without a SAML connector needs none. */
const library = () => import('@node-saml/node-saml')

export interface SamlDeps {
  clock: Clock
  takeAssertion: SsoRequests['takeAssertion']
}

/** Ids of XML begin with no digit. */
const xmlId = (requestId: string): string => `_${requestId}`
export const requestIdFromXml = (id: string): string => id.replace(/^_/, '')

export function createSamlProvider({ metadata: { name }, spec }: SamlConnector, { clock, takeAssertion }: SamlDeps): Provider {
  let idp: Promise<SamlIdp> | undefined
  const known = (): Promise<SamlIdp> => {
    idp ??= readIdp(spec)
    // What failed is asked for again by the next sign-in.
    idp.catch(() => (idp = undefined))
    return idp
  }
  return {
    type: 'saml',
    name,
    mappings: spec.attributes_to_roles.map(({ name: claim, value, roles }) => ({ claim, value, roles })),
    async begin(requestId) {
      const saml = await samlOf(spec, await known(), requestId)
      return { address: await saml.getAuthorizeUrlAsync('', undefined, {}), kept: {} }
    },
    async prove(answer) {
      if (answer.kind !== 'saml') throw new SsoError('callback', 'no answer of a SAML provider')
      if (answer.requestId === undefined && !spec.allow_idp_initiated)
        throw new SsoError('callback', `connector "${name}" takes no sign-in that begins at the provider`)
      const provider = await known()
      await requireStrongSignatures(decodeResponse(answer.response))
      const profile = await verified(await samlOf(spec, provider), answer.response)
      const assertion = assertionOf(profile)
      const until = judge(assertion, { spec, idp: provider, requestId: answer.requestId, now: clock.now() })
      if (!(await takeAssertion(provider.issuer, attributeOf(assertion, 'ID'), until + skew)))
        throw new SsoError('callback', 'the assertion was used before')
      return proofOf(provider, profile)
    },
  }
}

/** Of this side, as an identity provider wants to read it. Known without asking the provider. */
export async function samlMetadataOf({ spec }: SamlConnector): Promise<string> {
  const { generateServiceProviderMetadata } = await library()
  const { signing_key_pair: signing, assertion_key_pair: encryption } = spec
  return generateServiceProviderMetadata({
    issuer: spec.service_provider_issuer || spec.acs,
    callbackUrl: spec.acs,
    identifierFormat: null,
    // A signed response is taken as well; a signed assertion is what survives encryption.
    wantAssertionsSigned: true,
    ...(signing.cert === '' ? {} : { privateKey: signing.private_key, publicCerts: signing.cert }),
    ...(encryption.cert === '' ? {} : { decryptionPvk: encryption.private_key, decryptionCert: encryption.cert }),
  })
}

async function samlOf(spec: SamlSpec, idp: SamlIdp, requestId?: string): Promise<SAML> {
  const { SAML, ValidateInResponseTo } = await library()
  return new SAML({
    callbackUrl: spec.acs,
    entryPoint: idp.sso,
    issuer: spec.service_provider_issuer || spec.acs,
    audience: spec.audience || spec.service_provider_issuer || spec.acs,
    idpIssuer: idp.issuer,
    idpCert: idp.certificates,
    // Either is enough: the library reads the assertion from what was signed, and insists on one of them.
    wantAuthnResponseSigned: false,
    wantAssertionsSigned: false,
    validateInResponseTo: ValidateInResponseTo.never,
    acceptedClockSkewMs: -1, // times are judged here
    identifierFormat: null,
    disableRequestedAuthnContext: true,
    signatureAlgorithm: 'sha256',
    digestAlgorithm: 'sha256',
    ...(spec.signing_key_pair.private_key === '' ? {} : { privateKey: spec.signing_key_pair.private_key }),
    ...(spec.signing_key_pair.cert === '' ? {} : { publicCert: spec.signing_key_pair.cert }),
    ...(spec.assertion_key_pair.private_key === '' ? {} : { decryptionPvk: spec.assertion_key_pair.private_key }),
    ...(requestId === undefined ? {} : { generateUniqueId: () => xmlId(requestId) }),
  })
}

async function verified(saml: SAML, response: string): Promise<Profile> {
  const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: response }).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new SsoError('callback', `the provider's response was refused: ${reason}`.slice(0, 500), { cause })
  })
  if (!profile) throw new SsoError('callback', "the provider's response holds no assertion")
  return profile
}

function assertionOf(profile: Profile): XmlElement {
  const [assertion] = childrenOf({ all: [profile.getAssertion?.()['Assertion'] ?? {}] }, 'all')
  if (!assertion || attributeOf(assertion, 'ID') === '') throw new SsoError('callback', 'the assertion has no ID')
  return assertion
}

interface Expected {
  spec: SamlSpec
  idp: SamlIdp
  requestId: string | undefined
  now: number
}

/** Everything that the signature does not say. Answers until when the assertion counts. Throws SsoError. */
function judge(assertion: XmlElement, { spec, idp, requestId, now }: Expected): number {
  const issuer = textOf(childrenOf(assertion, 'Issuer')[0])
  if (issuer !== idp.issuer) throw new SsoError('callback', `the assertion is by "${issuer}", not by "${idp.issuer}"`)
  const [conditions, second] = childrenOf(assertion, 'Conditions')
  if (!conditions || second) throw new SsoError('callback', 'the assertion must have one set of conditions')
  const end = requireTime(conditions, now, 'the assertion')
  const [subject] = childrenOf(assertion, 'Subject')
  const reasons: string[] = []
  for (const confirmation of childrenOf(subject, 'SubjectConfirmation')) {
    const [data] = childrenOf(confirmation, 'SubjectConfirmationData')
    const reason =
      attributeOf(confirmation, 'Method') === bearer ? whyNotConfirmed(data, spec.acs, requestId) : 'it is not confirmed by its bearer'
    if (reason === undefined) return Math.min(end, requireTime(data, now, 'the confirmation'))
    reasons.push(reason)
  }
  throw new SsoError('callback', reasons[0] ?? 'the assertion says nothing about how its subject is confirmed')
}

function whyNotConfirmed(data: XmlElement | undefined, acs: string, requestId: string | undefined): string | undefined {
  if (!data) return 'the assertion has no data about its confirmation'
  const recipient = attributeOf(data, 'Recipient')
  if (recipient !== acs) return `the assertion is meant for "${recipient}", not for "${acs}"`
  if (attributeOf(data, 'NotOnOrAfter') === '') return 'the assertion names no end of its confirmation'
  const answers = attributeOf(data, 'InResponseTo')
  if (answers === (requestId === undefined ? '' : xmlId(requestId))) return undefined
  return requestId === undefined
    ? 'the assertion answers a request, but came without one'
    : 'the assertion answers another request (InResponseTo)'
}

function requireTime(element: XmlElement | undefined, now: number, what: string): number {
  const [from, until] = [attributeOf(element, 'NotBefore'), attributeOf(element, 'NotOnOrAfter')]
  const begin = from === '' ? now : Date.parse(from)
  const end = until === '' ? now + longestAssertion : Date.parse(until)
  if (!(now + skew >= begin)) throw new SsoError('callback', `${what} counts from ${from} on only`)
  if (!(now - skew < end)) throw new SsoError('callback', `${what} has expired at ${until}`)
  return end
}

function proofOf(idp: SamlIdp, profile: Profile): Proof {
  const username = typeof profile.nameID === 'string' ? profile.nameID.trim() : ''
  if (username === '') throw new SsoError('callback', 'the assertion names nobody (NameID)')
  const attributes = profile['attributes']
  const claims: Claims = readClaims(typeof attributes === 'object' && attributes !== null ? { ...attributes } : {})
  return { username, identity: `${idp.issuer} ${username}`, claims }
}
