/**
 * How a browser gets its session on the host of an application. It comes with nothing, leaves with a state that only it
 * knows, and comes back from the console with a session that is bound to that state: a link that somebody else made signs
 * nobody in.
 */
import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { appAuthPath, appSessionCookie, appStateCookie, appStateTtl, appSubjectCookie, pathOnApp } from '@sallyport/wire/app-access.ts'
import { routePath } from '@sallyport/wire/routes.ts'
import { z } from 'zod'
import { accessDenied, badParameter } from '../../core/errors.ts'
import { randomHex } from '../../core/identity/secrets.ts'
import type { Site } from '../../core/site.ts'
import type { AppSessions } from './app-sessions.ts'
import { answerPage, answerText, redirectTo } from './plain-answer.ts'
import { readCookies } from './cookies.ts'

const attributes = 'Path=/; HttpOnly; Secure; SameSite=None'
const idBytes = 16
const stateBytes = 32
const state = /^([0-9a-f]{64})_([0-9a-f]{32})$/
const bodyLimit = 16 * 1024
const bodyTimeout = 10_000

const proof = z.object({
  state_value: z.string().regex(state),
  cookie_value: z.string(),
  subject_cookie_value: z.string(),
})

export interface HandshakeDeps {
  site: Pick<Site, 'origin'>
  sessions: Pick<AppSessions, 'find' | 'end'>
}

export interface Visitor {
  readonly host: string
  readonly ip: string
  /** Origin under which the browser knows the application. */
  readonly origin: string
}

/** To the console, which decides whether there is to be a session. */
export const launcherAddress = (site: Pick<Site, 'origin'>, host: string, path: string): string =>
  `${site.origin}${routePath('launch', { fqdn: host })}?path=${encodeURIComponent(path)}`

export async function answerHandshake(
  request: IncomingMessage,
  response: ServerResponse,
  visitor: Visitor,
  deps: HandshakeDeps,
): Promise<void> {
  const query = new URL(request.url ?? '/', visitor.origin).searchParams
  if (request.method === 'POST') return takeSession(request, response, visitor, deps)
  if (request.method !== 'GET') return answerText(response, 405, 'Method Not Allowed')
  return query.has('state') ? sendPage(response, query) : sendState(response, visitor, query, deps)
}

function sendState(response: ServerResponse, { host }: Visitor, query: URLSearchParams, { site }: HandshakeDeps): void {
  const [token, id] = [randomHex(stateBytes), randomHex(idBytes)]
  const link = { fqdn: host, clusterId: query.get('cluster') ?? '', publicAddr: query.get('addr') ?? '', arn: query.get('arn') ?? '' }
  const search = new URLSearchParams({ state: `${token}_${id}`, path: pathOnApp(query.get('path')) })
  const cookie = `${appStateCookie}${id}=${token}; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=${appStateTtl / 1000}`
  redirectTo(response, `${site.origin}${routePath('launch', link)}?${search.toString()}`, [cookie])
}

const inScript = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c')

/** The session comes in the fragment, which no server is sent. */
function sendPage(response: ServerResponse, query: URLSearchParams): void {
  const nonce = randomHex(idBytes)
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`
  const script = `
const value = new URLSearchParams(location.hash.slice(1)).get('value')
const query = new URLSearchParams(location.search)
const body = { state_value: query.get('state'), cookie_value: value, subject_cookie_value: query.get('subject'), required_apps: '' }
history.replaceState(null, '', ${inScript(appAuthPath)})
const fail = (why) => { document.body.textContent = 'The application could not be opened: ' + why + ' Go back to the console and open it again.' }
fetch(${inScript(appAuthPath)}, { method: 'POST', credentials: 'same-origin', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) })
  .then(async (answer) => { if (answer.ok) location.replace(${inScript(pathOnApp(query.get('path')))}); else fail(await answer.text()) })
  .catch(() => fail('the connection broke off.'))
`
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Opening application</title></head><body><script nonce="${nonce}">${script}</script></body></html>\n`
  answerPage(response, policy, page)
}

async function takeSession(
  request: IncomingMessage,
  response: ServerResponse,
  visitor: Visitor,
  { sessions }: HandshakeDeps,
): Promise<void> {
  const { origin } = request.headers
  if (origin !== undefined && origin !== visitor.origin) throw accessDenied('access denied: the page is of another origin')
  const { state_value, cookie_value: value, subject_cookie_value: subject } = await readProof(request)
  const [, token = '', id = ''] = state.exec(state_value) ?? []
  const kept = readCookies(request.headers.cookie).get(`${appStateCookie}${id}`) ?? ''
  if (kept.length !== token.length || !timingSafeEqual(Buffer.from(kept), Buffer.from(token)))
    throw accessDenied('access denied: this browser did not ask for the application, or waited too long.')
  const { host, ip } = visitor
  if (!(await sessions.find({ host, value, subject, ip }))) throw accessDenied('access denied: there is no such session.')
  response.setHeader('set-cookie', [
    `${appSessionCookie}=${value}; ${attributes}`,
    `${appSubjectCookie}=${subject}; ${attributes}`,
    `${appStateCookie}${id}=; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=0`,
  ])
  answerText(response, 200, '{"message":"ok"}', { 'content-type': 'application/json' })
}

async function readProof(request: IncomingMessage): Promise<z.output<typeof proof>> {
  // A page of another origin cannot send this media type without being asked first.
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) throw badParameter('invalid request')
  const tooSlow = setTimeout(() => request.destroy(), bodyTimeout)
  request.once('close', () => clearTimeout(tooSlow))
  const parts: Buffer[] = []
  let length = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length
    if (length > bodyLimit) throw badParameter('invalid request')
    parts.push(part)
  }
  try {
    return proof.parse(JSON.parse(Buffer.concat(parts).toString('utf8')))
  } catch (cause) {
    throw badParameter('invalid request', { cause })
  }
}

export async function answerLogout(
  request: IncomingMessage,
  response: ServerResponse,
  { host, ip }: Visitor,
  { sessions }: HandshakeDeps,
): Promise<void> {
  const cookies = readCookies(request.headers.cookie)
  const shown = { host, ip, value: cookies.get(appSessionCookie), subject: cookies.get(appSubjectCookie) }
  const session = await sessions.find(shown)
  if (session) await sessions.end(session)
  response.setHeader(
    'set-cookie',
    [appSessionCookie, appSubjectCookie].map((name) => `${name}=; ${attributes}; Max-Age=0`),
  )
  answerText(response, 200, 'You are signed out of this application.')
}
