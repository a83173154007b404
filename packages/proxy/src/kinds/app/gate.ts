/**
 * What comes to the host names of applications: the way in and out, and everything else for the application itself, once it
 * is clear who asks. Nothing of the console is reached here.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { appAuthPath, appLogoutPath, appSessionCookie, appSubjectCookie } from '@sallyport/wire/app-access.ts'
import { accessDenied, AppError, badParameter } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import type { Site } from '../../core/site.ts'
import { isWebApp } from './app.ts'
import type { AppSessions, Visit } from './app-sessions.ts'
import { readCookies } from './cookies.ts'
import { forwardRequest } from './forward.ts'
import type { Forwarding } from './forward.ts'
import { answerHandshake, answerLogout, launcherAddress } from './handshake.ts'
import type { Visitor } from './handshake.ts'
import { hostNameOf } from './host-names.ts'
import { answerText, redirectTo, refusalHead } from './plain-answer.ts'
import { requestHeaders } from './request-headers.ts'
import type { AppNames } from './resolve-app.ts'
import { forwardUpgrade } from './upgrade.ts'

export interface AppGate {
  /** Whether it is for an application, by its host name alone. */
  takes(request: IncomingMessage): boolean
  serve(request: IncomingMessage, response: ServerResponse): void
  upgrade(request: IncomingMessage, connection: Duplex, head: Buffer): void
  /** Requests and sockets that are under way. */
  count(): number
}

export interface GateDeps {
  site: Pick<Site, 'origin' | 'host' | 'hostname' | 'secure'>
  names: Pick<AppNames, 'isAppHost'>
  sessions: AppSessions
  log: Pick<Log, 'error' | 'warn'>
}

/** With its colon; empty for the one that goes without saying. */
const portOf = (host: string): string => /:\d+$/.exec(host)?.[0] ?? ''

export function createAppGate({ site, names, sessions, log }: GateDeps): AppGate {
  let count = 0

  function visitorOf(request: IncomingMessage): Visitor {
    const host = hostNameOf(request.headers.host) ?? ''
    return { host, ip: request.socket.remoteAddress ?? '', origin: `${site.secure ? 'https' : 'http'}://${host}${portOf(site.host)}` }
  }

  function admit(request: IncomingMessage, { host, ip }: Visitor): Promise<Visit | undefined> {
    const cookies = readCookies(request.headers.cookie)
    return sessions.admit({ host, ip, value: cookies.get(appSessionCookie), subject: cookies.get(appSubjectCookie) })
  }

  async function prepare(request: IncomingMessage, { host, ip, origin }: Visitor, { open, app, person }: Visit): Promise<Forwarding> {
    if (!isWebApp(app)) throw badParameter(`"${app.id}" is no web application: it is reached by a program of its own`)
    const [assertion] = await Promise.all([open.assert(app, person), open.traffic.ready()])
    open.touch()
    const asking = {
      assertion,
      traits: person.traits,
      ip,
      host,
      port: portOf(site.host).slice(1),
      isSecure: site.secure,
      server: site.hostname,
    }
    const agent = open.connectionsTo(app)
    return {
      agent,
      headers: requestHeaders(request.rawHeaders, app.headers, asking),
      from: { publicOrigin: origin, uri: agent.uri, redirectHosts: app.redirectHosts },
      signal: open.signal,
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const visitor = visitorOf(request)
    const url = request.url ?? ''
    // What names a host in its first line asks for something else than `Host` says.
    if (!url.startsWith('/')) throw badParameter('invalid request')
    const [path = ''] = url.split('?', 1)
    if (path === appAuthPath) return answerHandshake(request, response, visitor, { site, sessions })
    if (path === appLogoutPath && request.method === 'GET') return answerLogout(request, response, visitor, { sessions, site })
    const visit = await admit(request, visitor)
    if (!visit) return leaveToLauncher(request, response, visitor)
    const start = new URL(visit.app.uri).pathname
    if (path === '/' && start !== '/' && isWebApp(visit.app)) return redirectTo(response, start)
    const forwarding = await prepare(request, visitor, visit)
    await noted(request, visit, forwardRequest(request, response, forwarding))
  }

  /** What came of it, in the record of the session. */
  async function noted({ method = '', url = '' }: IncomingMessage, { open }: Visit, outcome: Promise<number>): Promise<void> {
    try {
      open.traffic.requested({ method, url, status: await outcome })
    } catch (error) {
      open.traffic.requested({ method, url, status: error instanceof AppError ? error.status : 500 })
      throw error
    }
  }

  function leaveToLauncher(request: IncomingMessage, response: ServerResponse, { host }: Visitor): void {
    const mode = request.headers['sec-fetch-mode']
    // A script of the page would only see that it was sent to another origin.
    if (mode !== undefined && mode !== 'navigate')
      return answerText(response, 403, 'The session on this application is over: load the page again.')
    redirectTo(response, launcherAddress(site, host, request.url ?? '/'))
  }

  async function connect(request: IncomingMessage, connection: Duplex, head: Buffer): Promise<void> {
    const visitor = visitorOf(request)
    const url = request.url ?? ''
    if (!url.startsWith('/') || request.headers.upgrade?.toLowerCase() !== 'websocket') throw badParameter('invalid request')
    // Browsers always name the page, and one of another origin must not use the session of its visitor.
    const { origin } = request.headers
    if (origin !== undefined && origin !== visitor.origin) throw accessDenied('access denied: the page is of another origin')
    const visit = await admit(request, visitor)
    if (!visit) throw accessDenied('access denied: there is no session')
    const forwarding = await prepare(request, visitor, visit)
    await noted(request, visit, forwardUpgrade(request, connection, head, forwarding))
  }

  const statusOf = (error: unknown): number => {
    if (error instanceof AppError) return error.status
    log.error({ err: error }, 'a request to an application failed unexpectedly')
    return 500
  }

  return {
    takes({ headers }) {
      const host = hostNameOf(headers.host)
      return host !== undefined && names.isAppHost(host)
    },
    serve(request, response) {
      count += 1
      response.once('close', () => (count -= 1))
      answer(request, response).catch((error: unknown) => {
        const status = statusOf(error)
        answerText(response, status, error instanceof AppError ? error.message : 'Internal Server Error')
      })
    },
    upgrade(request, connection, head) {
      count += 1
      connection.once('close', () => (count -= 1))
      connection.on('error', () => connection.destroy())
      connect(request, connection, head).catch((error: unknown) => void connection.end(refusalHead(statusOf(error))))
    },
    count: () => count,
  }
}
