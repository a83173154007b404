/** The way of a browser to an identity provider and back. */
import type { FastifyReply } from 'fastify'
import type { IncomingHttpHeaders } from 'node:http'
import type { BodyOf } from '@sallyport/wire/call.ts'
import {
  returnGithub,
  returnOidc,
  returnSaml,
  returnSamlTo,
  samlMetadata,
  startGithub,
  startGithubClient,
  startOidc,
  startOidcClient,
  startSaml,
  startSamlClient,
} from '@sallyport/wire/calls/sso.ts'
import type { Connectors, ConnectorType } from '../../core/connectors/connectors.ts'
import { accessDenied, AppError, notFound } from '../../core/errors.ts'
import { setSessionCookie } from '../../core/identity/session-cookie.ts'
import { on } from '../../core/route.ts'
import type { Client, Route } from '../../core/route.ts'
import type { Outcome, Sso, Visitor } from '../../core/sso/sso.ts'
import { samlMetadataOf } from '../../core/sso/saml.ts'
import { SsoError } from '../../core/sso/sso-error.ts'
import { failurePath, ownPath, sendOn, sendTested } from './pages.ts'
import { readStart } from './start-query.ts'

const nanoseconds = 1_000_000

export interface SsoAreaDeps {
  sso: Sso
  connectors: Pick<Connectors, 'saml'>
  /** The CSRF token of a browser's cookie, when it has a sound one. */
  csrfOf: (headers: IncomingHttpHeaders) => string | undefined
}

export function ssoRoutes({ sso, connectors, csrfOf }: SsoAreaDeps): Route[] {
  const visitorOf = (reply: FastifyReply, client: Client): Visitor => ({ csrf: csrfOf(reply.request.headers), client })

  /** Undefined when there is nothing to start; why is the log's business. */
  const addressOf = async (type: ConnectorType, reply: FastifyReply, client: Client): Promise<string | undefined> => {
    const asked = readStart(reply.request.raw.url ?? '')
    if (!asked) return undefined
    return sso.begin({ type, ...asked }, visitorOf(reply, client)).catch((error: unknown) => {
      if (error instanceof SsoError) return undefined
      throw error
    })
  }
  const start = async (type: ConnectorType, reply: FastifyReply, client: Client): Promise<undefined> =>
    void reply.redirect((await addressOf(type, reply, client)) ?? failurePath('login'), 302)

  const finish = (reply: FastifyReply, outcome: Outcome): undefined => {
    if (outcome.is === 'tested') return sendTested(reply)
    if (outcome.is === 'answered') return sendOn(reply, outcome.address)
    if (outcome.is === 'failed') return sendOn(reply, failurePath(outcome.page))
    setSessionCookie(reply, outcome.cookie)
    return sendOn(reply, ownPath(outcome.redirect))
  }
  const returned = async (type: ConnectorType, reply: FastifyReply, client: Client): Promise<undefined> => {
    const { searchParams } = new URL(reply.request.raw.url ?? '', 'https://own.invalid')
    finish(reply, await sso.complete(type, { kind: 'query', query: searchParams }, visitorOf(reply, client)))
  }
  const returnedSaml = async (connector: string | undefined, reply: FastifyReply, client: Client): Promise<undefined> => {
    const form = readForm(reply.request.body)
    const fields = { connector, response: form.get('SAMLResponse') ?? '', relayState: form.get('RelayState') ?? '' }
    return finish(reply, await sso.completeSaml(fields, visitorOf(reply, client)))
  }

  async function startClient(type: ConnectorType, body: BodyOf<typeof startOidcClient>, client: Client): Promise<{ redirect_url: string }> {
    const { connector_id: connector, redirect_url: redirect, public_key: publicKey, cert_ttl, access_requests: requests } = body
    try {
      const ttl = cert_ttl / nanoseconds
      return { redirect_url: await sso.beginForClient({ type, connector, redirect, publicKey, ttl, requests }, client) }
    } catch (cause) {
      if (!(cause instanceof SsoError) && !(cause instanceof AppError)) throw cause
      throw accessDenied("Failed to login. Please check Sallyport's log for more details.", { cause })
    }
  }

  return [
    on(startGithubClient, ({ body, client }) => startClient('github', body, client)),
    on(startOidcClient, ({ body, client }) => startClient('oidc', body, client)),
    on(startSamlClient, ({ body, client }) => startClient('saml', body, client)),
    on(startGithub, ({ reply, client }) => start('github', reply, client)),
    on(startOidc, ({ reply, client }) => start('oidc', reply, client)),
    on(returnGithub, ({ reply, client }) => returned('github', reply, client)),
    on(returnOidc, ({ reply, client }) => returned('oidc', reply, client)),
    on(startSaml, async ({ reply, client }) => sendOn(reply, (await addressOf('saml', reply, client)) ?? failurePath('login'))),
    on(returnSaml, ({ reply, client }) => returnedSaml(undefined, reply, client)),
    on(returnSamlTo, ({ params, reply, client }) => returnedSaml(params.connector, reply, client)),
    on(samlMetadata, async ({ params, reply }) => {
      const connector = await connectors.saml.opened(params.connector)
      if (!connector) throw notFound(`there is no SAML connector "${params.connector}"`)
      return void reply.type('application/samlmetadata+xml').send(await samlMetadataOf(connector))
    }),
  ]
}

/** The fields of a form; whatever else was sent has none. */
const readForm = (body: unknown): URLSearchParams =>
  new URLSearchParams(body instanceof Uint8Array ? Buffer.from(body).toString('utf8') : '')
