/** Who a request comes from: first the session cookie, then the bearer, which must belong to the same user. */
import type { IncomingHttpHeaders } from 'node:http'
import { sessionCookie } from '@sallyport/wire/limits.ts'
import { plainAddress } from '../core/address.ts'
import type { Audit } from '../core/audit/audit.ts'
import type { Caller } from '../core/caller.ts'
import { accessDenied, AppError } from '../core/errors.ts'
import { decodeSessionCookie } from '../core/identity/session-cookie.ts'
import { LockRefusal, subjectOfCaller } from '../core/locks/lock.ts'
import type { LockView } from '../core/locks/lock-view.ts'
import type { WebSession, WebSessions } from '../core/identity/web-sessions.ts'
import { readCookie } from './cookies.ts'

const needAuthText = 'need auth'

/** There is no bearer. The session may well live: a link from elsewhere must not sign anybody out. */
export const needAuth = (): AppError => accessDenied(needAuthText)

/** The session is unknown or over: its cookie is of no more use and is cleared. */
export class SessionOverError extends AppError {
  constructor() {
    super('access_denied', needAuthText)
  }
}

export interface Credentials {
  headers: IncomingHttpHeaders
  /** Address of the peer. */
  ip: string
  /** The query's `access_token`: sockets cannot send a header. It wins over the header. */
  accessToken: string | undefined
}

export interface Authenticator {
  /**
   * Throws the 403 of the contract when session or bearer is missing, unknown, expired or of another user, and when a lock
   * is in force. `by: own`: where it is the access that they have assumed that is locked, they come by their own roles.
   */
  caller(credentials: Credentials, by?: 'own'): Promise<Caller>
  /**
   * The session of the cookie alone: for the page, and for sockets that send the bearer in their first frame. One that a
   * role pins to the address of its sign-in ends when it comes from another.
   */
  session(from: Pick<Credentials, 'headers' | 'ip'>): Promise<WebSession>
  /** Completes `session` with a bearer. */
  complete(session: WebSession, bearer: string | undefined, by?: 'own'): Promise<Caller>
}

export interface AuthenticatorDeps {
  sessions: WebSessions
  locks: Pick<LockView, 'require' | 'whyLocked'>
  audit: Pick<Audit, 'emit'>
}

export function createAuthenticator({ sessions, locks, audit }: AuthenticatorDeps): Authenticator {
  async function requireAddress(session: WebSession, ip: string): Promise<void> {
    if (plainAddress(session.loginIp) === plainAddress(ip)) return
    if (!(await sessions.callerOf(session))?.access.options.pinSourceIp) return
    const error = `the session of ${plainAddress(session.loginIp)} was used from another address, to which a role does not let it go`
    await audit.emit('T3007W', { user: session.user, success: false, error, 'addr.remote': ip })
    await sessions.end(session)
    throw new SessionOverError()
  }
  const authenticator: Authenticator = {
    async caller(credentials, by) {
      return authenticator.complete(await authenticator.session(credentials), bearerOf(credentials), by)
    },
    async session({ headers, ip }) {
      const value = readCookie(headers, sessionCookie)
      if (!value) throw accessDenied('missing session cookie')
      const cookie = decodeSessionCookie(value)
      if (!cookie) throw accessDenied('failed to decode cookie')
      const session = await sessions.find(cookie)
      if (session) {
        await requireAddress(session, ip)
        return session
      }
      const locked = await sessions.whyLocked(cookie)
      throw locked === undefined ? new SessionOverError() : new LockRefusal(locked)
    },
    async complete(session, bearer, by) {
      if (!bearer) throw needAuth()
      if ((await sessions.bearerUser(bearer)) !== session.user) throw accessDenied('bad bearer token')
      const caller = await sessions.callerOf(session)
      if (!caller) throw new SessionOverError()
      const isLocked = by === 'own' && caller.assumed !== undefined && locks.whyLocked(subjectOfCaller(caller)) !== undefined
      const admitted = isLocked ? await sessions.callerOf(session, by) : caller
      if (!admitted) throw new SessionOverError()
      locks.require(subjectOfCaller(isLocked ? { ...admitted, assumed: [] } : admitted))
      return admitted
    },
  }
  return authenticator
}

function bearerOf({ headers, accessToken }: Credentials): string | undefined {
  if (accessToken) return accessToken
  const [scheme, value] = (headers.authorization ?? '').split(' ', 2)
  if (!value) return undefined
  if (scheme?.toLowerCase() === 'bearer') return value
  if (scheme?.toLowerCase() !== 'basic') return undefined
  const pair = Buffer.from(value, 'base64').toString('utf8')
  return pair.slice(pair.indexOf(':') + 1)
}
