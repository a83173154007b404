/** An OpenID Connect provider that lies: it answers every code with an ID token in which the test changes what it likes. */
import { generateKeyPairSync, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { readForm, sendJson, startProviderServer } from './provider-server.ts'
import type { ProviderServer } from './provider-server.ts'

export interface Forgery {
  /** Over the claims of an honest token; undefined takes one away. */
  claims?: Record<string, unknown>
  header?: Record<string, unknown>
  /** Signs with a key that the provider never published. */
  strangerSigns?: boolean
  unsigned?: boolean
  /** Over the honest discovery document. */
  discovery?: Record<string, unknown>
  userinfo?: Record<string, unknown>
  /** What the token endpoint answers instead. */
  tokenAnswer?: unknown
}

export interface ForgingProvider extends ProviderServer {
  /** Counts until it is set again. */
  forge(forgery: Forgery): void
  /** What the token endpoint was asked last. */
  readonly asked: URLSearchParams | undefined
  /** The answer of a person who agreed: state and nonce are taken from the address of the start. */
  agree(address: string): string
}

const own = generateKeyPairSync('rsa', { modulusLength: 2048 })
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 })
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

function tokenOf(header: object, claims: object, key: KeyObject | undefined): string {
  const text = `${part(header)}.${part(claims)}`
  return `${text}.${key ? sign('sha256', Buffer.from(text), key).toString('base64url') : ''}`
}

export async function startForgingProvider(): Promise<ForgingProvider> {
  let forgery: Forgery = {}
  let nonce = ''
  let asked: URLSearchParams | undefined
  const server = await startProviderServer((origin) => async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', origin)
    if (pathname === '/.well-known/openid-configuration')
      return sendJson(response, {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        jwks_uri: `${origin}/keys`,
        userinfo_endpoint: `${origin}/userinfo`,
        response_types_supported: ['code'],
        id_token_signing_alg_values_supported: ['RS256'],
        ...forgery.discovery,
      })
    if (pathname === '/keys')
      return sendJson(response, { keys: [{ ...own.publicKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'own' }] })
    if (pathname === '/userinfo')
      return sendJson(response, { sub: 'erin', email: 'erin@example.com', email_verified: true, ...forgery.userinfo })
    if (pathname !== '/token') {
      response.writeHead(404).end()
      return undefined
    }
    asked = await readForm(request)
    if (forgery.tokenAnswer !== undefined) return sendJson(response, forgery.tokenAnswer)
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: origin, sub: 'erin', aud: 'sallyport', iat: now, exp: now + 600, nonce, groups: ['engineers'], ...forgery.claims }
    const header = { alg: 'RS256', kid: 'own', ...forgery.header }
    const key = forgery.unsigned ? undefined : forgery.strangerSigns ? stranger.privateKey : own.privateKey
    return sendJson(response, { access_token: 'x', token_type: 'Bearer', expires_in: 600, id_token: tokenOf(header, claims, key) })
  })
  return {
    ...server,
    forge: (next) => void (forgery = next),
    get asked() {
      return asked
    },
    agree(address) {
      const { searchParams } = new URL(address)
      nonce = searchParams.get('nonce') ?? ''
      const back = new URL(searchParams.get('redirect_uri') ?? '')
      back.search = new URLSearchParams({ code: 'c0de', state: searchParams.get('state') ?? '' }).toString()
      return back.href
    },
  }
}
