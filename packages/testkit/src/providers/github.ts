/** A server with the shape of GitHub Enterprise on loopback: sign-in page, token endpoint, and the parts of the API that are asked. */
import { createHash, randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { accountForm, readForm, sendHtml, sendJson, startProviderServer } from './provider-server.ts'
import type { ProviderServer } from './provider-server.ts'

export interface GithubAccount {
  id: number
  /** `organization/team`. */
  teams: readonly string[]
  organizations?: readonly string[]
}

export interface GithubTestProvider extends ProviderServer {
  readonly clientId: string
  readonly clientSecret: string
  readonly api: string
  /** Answers a path of the API in another way until the test takes it back. */
  override(path: string, answer: ((response: ServerResponse) => void) | undefined): void
  /** Paths of the API that were asked, with their query. */
  readonly asked: readonly string[]
}

interface Grant {
  account: string
  challenge: string
}

const clientId = 'Iv1.test'
const clientSecret = 'the secret of the test GitHub'

export async function startGithubProvider(accounts: Readonly<Record<string, GithubAccount>>): Promise<GithubTestProvider> {
  const codes = new Map<string, Grant>()
  const tokens = new Map<string, string>()
  const overrides = new Map<string, (response: ServerResponse) => void>()
  const asked: string[] = []

  async function authorize(url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const back = new URL(url.searchParams.get('redirect_uri') ?? '')
    const state = url.searchParams.get('state') ?? ''
    if (request.method === 'GET') return sendHtml(response, accountForm(Object.keys(accounts)))
    const account = (await readForm(request)).get('account') ?? ''
    if (account in accounts) {
      const code = randomUUID()
      codes.set(code, { account, challenge: url.searchParams.get('code_challenge') ?? '' })
      back.search = new URLSearchParams({ code, state }).toString()
    } else
      back.search = new URLSearchParams({ error: 'access_denied', error_description: 'The user has denied your request', state }).toString()
    response.writeHead(302, { location: back.href }).end()
  }

  async function giveToken(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = await readForm(request)
    const code = form.get('code') ?? ''
    const grant = codes.get(code)
    codes.delete(code)
    // Like the real one, it answers 200 whatever happens.
    if (form.get('client_id') !== clientId || form.get('client_secret') !== clientSecret)
      return sendJson(response, { error: 'incorrect_client_credentials' })
    const proof = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (grant?.challenge !== proof)
      return sendJson(response, { error: 'bad_verification_code', error_description: 'The code is incorrect' })
    const token = randomUUID()
    tokens.set(token, grant.account)
    sendJson(response, { access_token: token, token_type: 'bearer', scope: 'read:org' })
  }

  function answerApi(url: URL, request: IncomingMessage, response: ServerResponse): void {
    const path = url.pathname.replace('/api/v3', '')
    asked.push(path + url.search)
    const override = overrides.get(path)
    if (override) return override(response)
    const login = tokens.get((request.headers.authorization ?? '').replace('Bearer ', ''))
    const account = login === undefined ? undefined : accounts[login]
    if (!account) return void response.writeHead(401, { 'content-type': 'application/json' }).end('{"message":"Bad credentials"}')
    const organizations = account.organizations ?? [...new Set(account.teams.map((team) => team.split('/')[0] ?? ''))]
    if (path === '/user') return sendJson(response, { login, id: account.id, type: 'User' })
    if (path === '/user/orgs')
      return sendPage(
        url,
        response,
        organizations.map((name) => ({ login: name })),
      )
    if (path === '/user/teams') {
      const teams = account.teams.map((team) => team.split('/'))
      return sendPage(
        url,
        response,
        teams.map(([organization, slug]) => ({ slug, name: slug, organization: { login: organization } })),
      )
    }
    return void response.writeHead(404).end()
  }

  const server = await startProviderServer((origin) => async (request, response) => {
    const url = new URL(request.url ?? '/', origin)
    if (url.pathname === '/login/oauth/authorize') return authorize(url, request, response)
    if (url.pathname === '/login/oauth/access_token') return giveToken(request, response)
    return answerApi(url, request, response)
  })
  return {
    ...server,
    clientId,
    clientSecret,
    api: `${server.origin}/api/v3`,
    asked,
    override: (path, answer) => void (answer ? overrides.set(path, answer) : overrides.delete(path)),
  }
}

/** Two entries to a page, however many are asked for, so that lists have several. */
function sendPage(url: URL, response: ServerResponse, all: readonly unknown[]): void {
  const size = 2
  const page = Number(url.searchParams.get('page') ?? '1')
  const next = new URL(url)
  next.searchParams.set('page', String(page + 1))
  const link: Record<string, string> = page * size < all.length ? { link: `<${next.href}>; rel="next"` } : {}
  sendJson(response, all.slice((page - 1) * size, page * size), link)
}
