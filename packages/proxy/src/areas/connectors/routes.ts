/** Auth connectors: their documents, the default one, and test sign-ins. */
import type { IncomingHttpHeaders } from 'node:http'
import {
  beginTest,
  createGithub,
  createOidc,
  createSaml,
  listGithub,
  listOidc,
  listSaml,
  readDefault,
  readTest,
  removeGithub,
  removeOidc,
  removeSaml,
  setDefault,
  updateGithub,
  updateOidc,
  updateSaml,
} from '@sallyport/wire/calls/connectors.ts'
import type { Audit } from '../../core/audit/audit.ts'
import type { Connectors } from '../../core/connectors/connectors.ts'
import type { DefaultConnectors } from '../../core/connectors/default-connector.ts'
import { parseDocument, toResource } from '../../core/resources/documents.ts'
import type { ResourceDocument } from '../../core/resources/documents.ts'
import { badParameter, notFound } from '../../core/errors.ts'
import type { Resource } from '../../core/resources/resources.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'
import type { ConnectorTests } from '../../core/sso/connector-tests.ts'
import type { Providers } from '../../core/sso/providers.ts'
import type { Sso } from '../../core/sso/sso.ts'
import { SsoError } from '../../core/sso/sso-error.ts'
import { documentRoutes } from './documents.ts'

export interface ConnectorsAreaDeps {
  connectors: Connectors
  defaults: DefaultConnectors
  sso: Pick<Sso, 'beginTest'>
  providers: Pick<Providers, 'of'>
  tests: Pick<ConnectorTests, 'read'>
  audit: Pick<Audit, 'emit'>
  csrfOf: (headers: IncomingHttpHeaders) => string | undefined
}

export function connectorsRoutes({ connectors, defaults, sso, providers, tests, audit, csrfOf }: ConnectorsAreaDeps): Route[] {
  const { oidc, saml, github } = connectors
  function draftOf(document: ResourceDocument): Promise<Resource<unknown>> {
    if (document.kind === 'oidc') return oidc.draft(oidc.inputOf(toResource(oidc.definition, document)))
    if (document.kind === 'saml') return saml.draft(saml.inputOf(toResource(saml.definition, document)))
    if (document.kind === 'github') return github.draft(github.inputOf(toResource(github.definition, document)))
    throw badParameter(`resource kind "${document.kind}" is invalid`)
  }
  return [
    ...documentRoutes({
      ...oidc,
      store: oidc,
      type: 'oidc',
      calls: { list: listOidc, create: createOidc, update: updateOidc, remove: removeOidc },
      codes: { saved: 'T8100I', removed: 'T8101I' },
      defaults,
      audit,
    }),
    ...documentRoutes({
      ...saml,
      store: saml,
      type: 'saml',
      calls: { list: listSaml, create: createSaml, update: updateSaml, remove: removeSaml },
      codes: { saved: 'T8200I', removed: 'T8201I' },
      defaults,
      audit,
    }),
    ...documentRoutes({
      ...github,
      store: github,
      type: 'github',
      calls: { list: listGithub, create: createGithub, update: updateGithub, remove: removeGithub },
      codes: { saved: 'T8000I', removed: 'T8001I' },
      defaults,
      audit,
    }),
    on(readDefault, () => defaults.read()),
    on(setDefault, ({ body, caller }) => defaults.set(body, caller.username)),
    on(beginTest, async ({ body, caller, client, reply }) => {
      const draft = await draftOf(parseDocument(body.content))
      const provider = providers.of(draft.kind === 'oidc' ? 'oidc' : draft.kind === 'saml' ? 'saml' : 'github', draft)
      const visitor = { csrf: csrfOf(reply.request.headers), client }
      const { id, address } = await sso.beginTest(provider, draft, caller.username, visitor).catch((error: unknown) => {
        throw error instanceof SsoError ? badParameter(error.message, { cause: error }) : error
      })
      return { id, redirect_url: address }
    }),
    on(readTest, async ({ params, caller }) => {
      const test = await tests.read(params.id, caller.username)
      if (!test) throw notFound('this test is unknown; begin another one')
      return test
    }),
  ]
}
