/** GitHub and GitHub Enterprise: OAuth with a one-time state, then the API says who it is and in which teams. */
import { createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { GithubConnector, GithubSpec } from '../connectors/github-connector.ts'
import type { Mapping } from '../connectors/mapping.ts'
import { createOutbound, jsonOf } from './outbound.ts'
import type { Outbound } from './outbound.ts'
import type { Proof, Provider } from './provider.ts'
import { SsoError } from './sso-error.ts'

const publicEndpoint = 'https://github.com'
const publicApi = 'https://api.github.com'
const pageSize = 100
const maxPages = 50

/** The claim that mappings look at: `organization/team`. */
const teamClaim = 'teams'

const tokenAnswer = z.object({ access_token: z.string().min(1).max(4096) })
const refusedAnswer = z.object({ error: z.string(), error_description: z.string().optional() })
const account = z.object({ login: z.string().min(1).max(255), id: z.union([z.number().int(), z.string().min(1)]) })
const teamPage = z.array(z.object({ slug: z.string().max(255), organization: z.object({ login: z.string().max(255) }) }))
const organizationPage = z.array(z.object({ login: z.string().max(255) }))

export function createGithubProvider({ metadata: { name }, spec }: GithubConnector): Provider {
  const endpoint = withoutSlash(spec.endpoint_url || publicEndpoint)
  const api = withoutSlash(spec.api_endpoint_url || (spec.endpoint_url === '' ? publicApi : `${endpoint}/api/v3`))
  const callEndpoint = createOutbound(endpoint)
  const callApi = createOutbound(api)
  return {
    type: 'github',
    name,
    mappings: mappingsOf(spec),
    async begin(requestId) {
      const verifier = randomBytes(32).toString('base64url')
      const query = new URLSearchParams({
        client_id: spec.client_id,
        scope: 'read:org',
        state: requestId,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
        ...(spec.redirect_url === '' ? {} : { redirect_uri: spec.redirect_url }),
      })
      return { address: `${endpoint}/login/oauth/authorize?${query}`, kept: { verifier } }
    },
    async prove(answer, kept) {
      if (answer.kind !== 'query') throw new SsoError('callback', 'no answer of GitHub')
      const refusal = answer.query.get('error')
      if (refusal !== null) throw refused(refusal, answer.query.get('error_description') ?? '')
      const code = answer.query.get('code') ?? ''
      if (code === '') throw new SsoError('callback', 'GitHub sent no code')
      const response = await callEndpoint(`${endpoint}/login/oauth/access_token`, {
        method: 'POST',
        headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({
          client_id: spec.client_id,
          client_secret: spec.client_secret,
          code,
          code_verifier: kept['verifier'] ?? '',
          ...(spec.redirect_url === '' ? {} : { redirect_uri: spec.redirect_url }),
        }).toString(),
      })
      const said = await jsonOf(response, 'the code')
      const refusedToken = refusedAnswer.safeParse(said)
      if (refusedToken.success) throw refused(refusedToken.data.error, refusedToken.data.error_description ?? '')
      const { access_token } = read(tokenAnswer, said, 'the code')
      return proofOf(spec, api, readerOf(callApi, access_token))
    },
  }
}

const withoutSlash = (address: string): string => address.replace(/\/+$/, '')

/** In teams_to_logins the logins name roles as well. */
const mappingsOf = (spec: GithubSpec): Mapping[] => [
  ...spec.teams_to_roles.map(({ organization, team, roles }) => mappingOf(organization, team, roles)),
  ...spec.teams_to_logins.map(({ organization, team, logins }) => mappingOf(organization, team, logins)),
]
const mappingOf = (organization: string, team: string, roles: readonly string[]): Mapping => ({
  claim: teamClaim,
  value: `${organization}/${team}`,
  roles,
  exact: true,
})

const refused = (code: string, detail: string): SsoError =>
  new SsoError('callback', `GitHub refused: ${code}${detail === '' ? '' : `: ${detail}`}`.slice(0, 500))

function read<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new SsoError('callback', `GitHub's answer for ${what} has another form than expected`, { cause: parsed.error })
}

type Reader = (address: string) => Promise<Response>
const readerOf =
  (call: Outbound, token: string): Reader =>
  (address) =>
    call(address, { headers: { accept: 'application/vnd.github+json', authorization: `Bearer ${token}` } })

/** Every page of a list, as far as the `Link` headers lead. */
async function readAll<T>(ask: Reader, address: string, schema: z.ZodType<T[]>): Promise<T[]> {
  const all: T[] = []
  let next: string | undefined = `${address}?per_page=${pageSize}`
  for (let page = 0; next !== undefined; page++) {
    if (page === maxPages) throw new SsoError('callback', `GitHub lists more than ${maxPages * pageSize} entries at ${address}`)
    const response = await ask(next)
    all.push(...read(schema, await jsonOf(response, address), address))
    const following = /<([^>]*)>;\s*rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
    // The token goes nowhere but to the API itself.
    if (following !== undefined && URL.parse(following)?.origin !== new URL(address).origin)
      throw new SsoError('callback', `GitHub's list goes on at another host: ${following}`)
    next = following
  }
  return all
}

async function proofOf(spec: GithubSpec, api: string, ask: Reader): Promise<Proof> {
  const { login, id } = read(account, await jsonOf(await ask(`${api}/user`), 'the account'), 'the account')
  const teams = await readAll(ask, `${api}/user/teams`, teamPage)
  const organizations = await readAll(ask, `${api}/user/orgs`, organizationPage)
  const memberships = teams.map(({ slug, organization }) => `${organization.login}/${slug}`)
  const kubernetes = spec.teams_to_logins.filter(({ organization, team }) => memberships.includes(`${organization}/${team}`))
  return {
    username: login,
    identity: `${api} ${id}`,
    claims: {
      login: [login],
      id: [String(id)],
      organizations: [...new Set([...organizations, ...teams.map(({ organization }) => organization)].map((one) => one.login))],
      [teamClaim]: memberships,
    },
    traits: {
      logins: [login],
      github_teams: teams.map(({ slug }) => slug),
      kubernetes_groups: [...new Set(kubernetes.flatMap((one) => one.kubernetes_groups))],
      kubernetes_users: [...new Set([login, ...kubernetes.flatMap((one) => one.kubernetes_users)])],
    },
  }
}
