/** An identity provider of another library: what it reads and writes was not made to fit ours. */
import { randomUUID } from 'node:crypto'
import { Constants, IdentityProvider, SamlLib, ServiceProvider, setSchemaValidator } from 'samlify'
import type { SigningKey } from './saml-response.ts'

export interface ForeignIdp {
  /** Entity descriptor. */
  readonly metadata: string
  /** Reads the request in the query of a sign-in, and answers it for an account as the form field carries it. */
  answer(spMetadata: string, query: URLSearchParams, account: { nameId: string; groups: string }): Promise<string>
}

export function createForeignIdp(key: SigningKey, { encrypted }: { encrypted: boolean }): ForeignIdp {
  // Its schemas need a program of their own; what matters here are the messages.
  setSchemaValidator({ validate: () => Promise.resolve('not validated') })
  const idp = IdentityProvider({
    entityID: 'https://foreign.example/metadata',
    privateKey: key.privateKey,
    signingCert: key.certificate,
    isAssertionEncrypted: encrypted,
    requestSignatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    singleSignOnService: [{ Binding: Constants.namespace.binding.redirect, Location: 'https://foreign.example/sso' }],
    nameIDFormat: [Constants.namespace.format.emailAddress],
    loginResponseTemplate: {
      context: SamlLib.defaultLoginResponseTemplate.context,
      attributes: [
        {
          name: 'groups',
          valueTag: 'groups',
          nameFormat: 'urn:oasis:names:tc:SAML:2.0:attrname-format:basic',
          valueXsiType: 'xs:string',
        },
      ],
    },
  })
  return {
    metadata: idp.getMetadata(),
    async answer(spMetadata, query, { nameId, groups }) {
      const sp = ServiceProvider({ metadata: spMetadata })
      const { extract } = await idp.parseLoginRequest(sp, 'redirect', { query: Object.fromEntries(query) })
      const request = extract['request']
      const acs = String(sp.entityMeta.getAssertionConsumerService('post'))
      const [now, end] = [new Date().toISOString(), new Date(Date.now() + 300_000).toISOString()]
      const id = `_${randomUUID()}`
      const fill = (template: string) => ({
        id,
        context: SamlLib.replaceTagsByValue(template, {
          ID: id,
          AssertionID: `_${randomUUID()}`,
          Destination: acs,
          Audience: sp.entityMeta.getEntityID(),
          SubjectRecipient: acs,
          AssertionConsumerServiceURL: acs,
          Issuer: idp.entityMeta.getEntityID(),
          IssueInstant: now,
          StatusCode: Constants.StatusCode.Success,
          ConditionsNotBefore: now,
          ConditionsNotOnOrAfter: end,
          SubjectConfirmationDataNotOnOrAfter: end,
          NameIDFormat: Constants.namespace.format.emailAddress,
          NameID: nameId,
          InResponseTo: String(typeof request === 'object' && 'id' in request ? request['id'] : ''),
          AuthnStatement: '',
          attrGroups: groups,
        }),
      })
      const made = await idp.createLoginResponse(sp, { extract }, 'post', { email: nameId }, fill)
      return made.context
    },
  }
}
