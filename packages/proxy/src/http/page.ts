/** The one HTML page behind every /web address, with the CSRF token and the current bearer of the caller in its head. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { bearerMeta, csrfMeta } from '@sallyport/wire/limits.ts'
import type { SessionWire } from '@sallyport/wire/entities/session.ts'
import type { Config } from '../config.ts'
import type { Connectors } from '../core/connectors/connectors.ts'
import { ifRefused, notImplemented } from '../core/errors.ts'
import type { WebSessions } from '../core/identity/web-sessions.ts'
import type { Site } from '../core/site.ts'
import type { Authenticator } from './authenticate.ts'
import { clientConfigScript } from './client-config.ts'
import type { SettingsInForce } from './client-config.ts'
import { setCsrfCookie } from './cookies.ts'
import { csrfTokenFor } from './csrf.ts'
import { noCache, pagePolicy } from './headers.ts'
import type { RateLimiter } from './rate-limit.ts'
import { indexFiles, serveStatic } from './static-files.ts'

export interface PageDeps {
  config: Config
  settings: SettingsInForce
  connectors: Pick<Connectors, 'offered'>
  site: Site
  authenticator: Authenticator
  sessions: WebSessions
  limiter: RateLimiter
}

export async function servePage(app: FastifyInstance, deps: PageDeps): Promise<void> {
  const { config } = deps
  serveStatic(app, await indexFiles(config.consoleDir))
  const template = await readTemplate(config.consoleDir)

  app.get('/', (_request, reply) => noCache(reply).redirect('/web', 302))

  const sendScript = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (!(await isSignedIn(request, deps))) deps.limiter.take('low', request.ip)
    const offered = await deps.connectors.offered()
    return noCache(reply)
      .type('application/javascript')
      .send(clientConfigScript(config, deps.settings, offered))
  }
  app.get('/web/config.js', sendScript)

  const page = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (template === undefined) throw notImplemented('the console is not built: run "npm start" once, or "node scripts/build-console.ts"')
    const token = csrfTokenFor(request)
    setCsrfCookie(reply, token)
    const bearer = await currentBearer(request, deps)
    return noCache(reply)
      .headers({ vary: 'Cookie', 'content-security-policy': pagePolicy(deps.site) })
      .type('text/html; charset=utf-8')
      .send(fill(template, token, bearer))
  }
  app.get('/web', page)
  app.get('/web/', page)
  app.get('/web/*', page)
}

const readTemplate = (folder: string): Promise<string | undefined> =>
  readFile(join(folder, 'index.html'), 'utf8').then(withoutOwnMetas, () => undefined) // not built

/** Metas that the template brings for development are replaced, not doubled. */
const withoutOwnMetas = (html: string): string =>
  html.replaceAll(new RegExp(`<meta[^>]*name="(?:${csrfMeta}|${bearerMeta})"[^>]*>\\s*`, 'g'), '')

// Both values are hex or base64: there is nothing in them to escape.
const fill = (template: string, csrf: string, bearer: string): string =>
  template.replace('</head>', () => `<meta name="${csrfMeta}" content="${csrf}" /><meta name="${bearerMeta}" content="${bearer}" /></head>`)

/** Base64 of the session answer for the newest bearer of the caller's sign-in; empty when nobody is signed in. */
async function currentBearer(request: FastifyRequest, { authenticator, sessions }: PageDeps): Promise<string> {
  const session = await authenticator.session(request).catch(ifRefused(undefined)) // signed out: the page is public
  if (!session) return ''
  const answer: SessionWire | undefined = await sessions.currentAnswer(session)
  return answer ? Buffer.from(JSON.stringify(answer)).toString('base64') : ''
}

/** By the cookie alone: a script tag sends no bearer, and reloading the page must not run a signed-in user into the limit. */
const isSignedIn = (request: FastifyRequest, { authenticator }: PageDeps): Promise<boolean> =>
  authenticator.session(request).then(
    () => true,
    ifRefused(false), // anonymous: the limit counts
  )
