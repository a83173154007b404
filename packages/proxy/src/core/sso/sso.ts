/**
 * Single sign-on: a browser leaves for a provider with a one-time id and comes back with an answer. In between nothing
 * is trusted but what this side stored; the browser that returns must be the one that left.
 */
import { timingSafeEqual } from 'node:crypto'
import type { Audit } from '../audit/audit.ts'
import { readPublicKey } from '../certificates.ts'
import type { Certificates } from '../certificates.ts'
import type { ClusterSettings } from '../cluster/cluster-settings.ts'
import type { ConnectorType } from '../connectors/connectors.ts'
import type { Mapped } from '../connectors/mapping.ts'
import type { People } from '../identity/people.ts'
import { requireWebSession } from '../identity/session-policy.ts'
import { randomHex } from '../identity/secrets.ts'
import { clientFields } from '../identity/sign-in.ts'
import type { SessionId, WebSessions } from '../identity/web-sessions.ts'
import type { Log } from '../log.ts'
import type { Client } from '../route.ts'
import { failedAnswer, requireClientAddress, sealedAnswer } from './client-answer.ts'
import type { ConnectorTests } from './connector-tests.ts'
import { asRefusal, requireRoles } from './entry.ts'
import type { Entry } from './entry.ts'
import type { Proof, Provider, ProviderAnswer } from './provider.ts'
import type { Providers } from './providers.ts'
import { requestIdFromXml } from './saml.ts'
import { requestIdOf } from './saml-xml.ts'
import { SsoError } from './sso-error.ts'
import type { FailurePage } from './sso-error.ts'
import type { ClientKey, SsoRequest, SsoRequests } from './sso-requests.ts'

export interface Visitor {
  /** CSRF token of the browser's cookie; undefined when it has none. */
  csrf: string | undefined
  client: Client
}

/** What becomes of a browser that came back. */
export type Outcome =
  | { is: 'signed-in'; cookie: SessionId; redirect: string }
  | { is: 'answered'; address: string }
  | { is: 'tested' }
  | { is: 'failed'; page: FailurePage }

export interface Sso {
  /** The provider's address for this browser. Throws SsoError. */
  begin(start: { type: ConnectorType; connector: string; redirect: string }, visitor: Visitor): Promise<string>
  /** For a program that listens at a loopback address for certificates of a key. `ttl` in milliseconds. Throws SsoError, bad parameter. */
  beginForClient(start: { type: ConnectorType; connector: string; redirect: string } & ClientKey, client: Client): Promise<string>
  /** The same for a document that is not saved: nobody is signed in, the result is kept for who began. Throws SsoError. */
  beginTest(provider: Provider, document: unknown, by: string, visitor: Visitor): Promise<{ id: string; address: string }>
  /** Never throws SsoError: failures are audited and become a page. */
  complete(type: ConnectorType, answer: ProviderAnswer, visitor: Visitor): Promise<Outcome>
  /** The same for a SAML response: without a request in it, a sign-in that began at the provider, if there is a connector. */
  completeSaml(form: { connector: string | undefined; response: string; relayState: string }, visitor: Visitor): Promise<Outcome>
}

export interface SsoDeps {
  requests: SsoRequests
  providers: Providers
  tests: ConnectorTests
  entry: Entry
  people: Pick<People, 'accessOf'>
  sessions: Pick<WebSessions, 'start' | 'requireUnlocked'>
  settings: Pick<ClusterSettings, 'authPreference'>
  certificates: Pick<Certificates, 'issue'>
  audit: Pick<Audit, 'emit'>
  log: Log
}

const idBytes = 16

export function createSso({ requests, providers, tests, entry, people, sessions, settings, certificates, audit, log }: SsoDeps): Sso {
  const requireCsrf = (csrf: string | undefined): string => {
    if (csrf === undefined) throw new SsoError('login', 'the browser has no CSRF cookie')
    return csrf
  }
  async function leave(provider: Provider, request: Omit<SsoRequest, 'type' | 'connector' | 'kept'>): Promise<string> {
    const id = randomHex(idBytes)
    const { address, kept } = await provider.begin(id).catch((error: unknown) => {
      log.warn({ connector: provider.name, err: error }, 'a sign-in through a provider could not begin')
      throw error
    })
    await requests.keep(id, { ...request, type: provider.type, connector: provider.name, kept })
    return address
  }

  /** Runs what follows a return; failures are audited, and what is known by then goes with them. */
  async function settle(
    method: ConnectorType,
    visitor: Visitor,
    work: (known: (proof: Proof) => void) => Promise<Outcome>,
  ): Promise<Outcome> {
    let proof: Proof | undefined
    try {
      return await work((known) => (proof = known))
    } catch (error) {
      if (!(error instanceof SsoError)) throw error
      await audit.emit('T1001W', {
        ...(proof ? { user: proof.username, attributes: proof.claims } : {}),
        method,
        success: false,
        error: error.message,
        message: failureTexts[error.page],
        ...clientFields(visitor.client),
      })
      log.warn({ method, err: error }, 'a sign-in through a provider failed')
      return { is: 'failed', page: error.page }
    }
  }

  async function signIn(provider: Provider, proof: Proof, redirect: string, visitor: Visitor): Promise<Outcome> {
    // Locks and the cluster's rules for sessions on the web hold here as at every sign-in.
    const person = await entry.enter(provider, proof, visitor.client, async (one) => {
      requireWebSession(await people.accessOf(one), settings.authPreference)
      await sessions.requireUnlocked(one, undefined)
    })
    const { client } = visitor
    const { cookie } = await sessions.start(person, client.ip, client.userAgent).catch(asRefusal)
    return { is: 'signed-in', cookie, redirect }
  }

  /** For a program: it learns about failures at its own address. */
  async function answerClient(
    request: SsoRequest,
    { publicKey, ttl, requests }: ClientKey,
    answer: ProviderAnswer,
    visitor: Visitor,
  ): Promise<Outcome> {
    const outcome = await settle(request.type, visitor, async (known) => {
      const provider = await requireProvider(request)
      const proof = await provider.prove(answer, request.kept)
      known(proof)
      const person = await entry.enter(provider, proof, visitor.client, (one) => sessions.requireUnlocked(one, undefined))
      const { key } = readPublicKey(publicKey)
      const issued = await certificates.issue({ person, publicKey: key, ttl, client: visitor.client, requests }).catch(asRefusal)
      return { is: 'answered', address: sealedAnswer(request.redirect, issued) }
    })
    return outcome.is === 'failed' ? { is: 'answered', address: failedAnswer(request.redirect, failureTexts[outcome.page]) } : outcome
  }

  async function requireProvider({ type, connector }: Pick<SsoRequest, 'type' | 'connector'>): Promise<Provider> {
    const provider = await providers.find(type, connector)
    if (!provider) throw new SsoError('callback', `connector "${connector}" was removed meanwhile`)
    return provider
  }

  async function finishTest(
    request: SsoRequest,
    test: NonNullable<SsoRequest['test']>,
    answer: ProviderAnswer,
    { client }: Visitor,
  ): Promise<Outcome> {
    const method = request.type
    let proof: Proof | undefined
    let mapped: Mapped | undefined
    try {
      const provider = providers.of(request.type, test.document)
      proof = await provider.prove(answer, request.kept)
      mapped = await entry.rolesOf(provider, proof)
      requireRoles(mapped, proof)
      await audit.emit('T1010I', { user: proof.username, method, success: true, attributes: proof.claims, ...clientFields(client) })
      await tests.finish(test, { state: 'success', proof, mapped, error: '' })
    } catch (error) {
      if (!(error instanceof SsoError)) throw error
      const attributes = proof ? { attributes: proof.claims } : {}
      await audit.emit('T1011W', { user: test.by, method, success: false, error: error.message, ...attributes, ...clientFields(client) })
      await tests.finish(test, { state: 'failed', proof, mapped, error: error.message })
    }
    return { is: 'tested' }
  }

  async function finish(type: ConnectorType, answer: ProviderAnswer, visitor: Visitor, known: (proof: Proof) => void): Promise<Outcome> {
    const id = answer.kind === 'query' ? answer.query.get('state') : answer.requestId
    // Taken before anything is judged: whatever is wrong with this return, there is no second one.
    const request = id ? await requests.take(id) : undefined
    if (request?.type !== type) throw new SsoError('callback', 'the sign-in is unknown, was used already or took too long')
    // A program's answer goes to the machine of whoever looks at this browser, so that no cookie ties the two.
    if (request.client) return answerClient(request, request.client, answer, visitor)
    if (!isSame(request.csrf, visitor.csrf)) throw new SsoError('login', 'another browser came back than the one that began')
    if (request.test) return finishTest(request, request.test, answer, visitor)
    const provider = await requireProvider(request)
    const proof = await provider.prove(answer, request.kept)
    known(proof)
    return signIn(provider, proof, request.redirect, visitor)
  }

  return {
    async begin({ type, connector, redirect }, { csrf, client }) {
      const own = requireCsrf(csrf)
      const provider = await providers.find(type, connector)
      if (!provider) throw new SsoError('login', `there is no ${type} connector "${connector}"`)
      return leave(provider, { csrf: own, redirect, ip: client.ip })
    },
    async beginForClient({ type, connector, redirect, publicKey, ttl, requests }, client) {
      readPublicKey(publicKey)
      const provider = await providers.find(type, connector)
      if (!provider) throw new SsoError('login', `there is no ${type} connector "${connector}"`)
      return leave(provider, { csrf: '', redirect: requireClientAddress(redirect), ip: client.ip, client: { publicKey, ttl, requests } })
    },
    async beginTest(provider, document, by, { csrf, client }) {
      const own = requireCsrf(csrf)
      const id = await tests.begin(by)
      return { id, address: await leave(provider, { csrf: own, redirect: '', ip: client.ip, test: { id, by, document } }) }
    },
    complete: (type, answer, visitor) => settle(type, visitor, (known) => finish(type, answer, visitor, known)),
    completeSaml: ({ connector, response, relayState }, visitor) =>
      settle('saml', visitor, async (known) => {
        const xmlId = await requestIdOf(response)
        const requestId = xmlId === undefined ? undefined : requestIdFromXml(xmlId)
        const answer = { kind: 'saml', response, requestId } as const
        if (requestId !== undefined || connector === undefined) return finish('saml', answer, visitor, known)
        const provider = await providers.find('saml', connector)
        if (!provider) throw new SsoError('callback', `there is no saml connector "${connector}"`)
        const proof = await provider.prove(answer, {})
        known(proof)
        return signIn(provider, proof, relayState, visitor)
      }),
  }
}

const failureTexts: Record<FailurePage, string> = {
  login: 'unable to login',
  callback: 'unable to process callback',
  auth: 'You are not authorized, please contact your SSO administrator.',
}

function isSame(expected: string, given: string | undefined): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given ?? '')]
  return a.length === b.length && timingSafeEqual(a, b)
}
