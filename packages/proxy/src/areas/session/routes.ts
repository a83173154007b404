/** Sign-in, renewal, liveness, sign-out. */
import { renew, signIn, signOut, userStatus } from '@sallyport/wire/calls/session.ts'
import { ok } from '@sallyport/wire/call.ts'
import type { Audit } from '../../core/audit/audit.ts'
import type { Caller } from '../../core/caller.ts'
import { accessDenied, badParameter } from '../../core/errors.ts'
import { clearSessionCookie, setSessionCookie } from '../../core/identity/session-cookie.ts'
import type { SignIn } from '../../core/identity/sign-in.ts'
import type { WebSession, WebSessions } from '../../core/identity/web-sessions.ts'
import type { AccessRequests } from '../../core/requests/access-requests.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'
import { requestFields } from '../../core/sessions/subject.ts'

export interface SessionAreaDeps {
  signIn: Pick<SignIn, 'withPassword'>
  sessions: Pick<WebSessions, 'find' | 'renew' | 'end'>
  requests: Pick<AccessRequests, 'assumable'>
  audit: Pick<Audit, 'emit'>
}

export function sessionRoutes({ signIn: signInService, sessions, requests, audit }: SessionAreaDeps): Route[] {
  /** The caller's own session; it may have ended since the request began. */
  async function own(caller: Caller): Promise<WebSession> {
    const session = await sessions.find({ user: caller.username, sid: caller.sessionId })
    if (!session) throw accessDenied('need auth')
    return session
  }
  return [
    on(signIn, async ({ body, client, reply }) => {
      const started = await signInService.withPassword(
        { user: body.user, password: body.pass, code: body.second_factor_token ?? '' },
        client,
      )
      setSessionCookie(reply, started.cookie)
      return started.answer
    }),
    on(renew, async ({ body: { requestId = '', switchback = false, reloadUser = false }, caller, client, reply }) => {
      if ([requestId !== '', switchback, reloadUser].filter(Boolean).length > 1)
        throw badParameter('failed to renew session: only one field can be set')
      const session = await own(caller)
      const assume = requestId === '' ? undefined : await requests.assumable(requestId, caller.username)
      // Roles and traits are read with every request, so that reloading the user is a plain renewal.
      const started = await sessions.renew(session, assume ? { assume } : switchback ? 'switchback' : 'plain')
      // Nobody has the session before it is told of.
      const fields = { user: caller.username, 'addr.remote': client.address }
      if (assume) await audit.emit('T5006I', { ...fields, id: assume.id, roles: assume.roles })
      if (switchback && session.assumed.length > 0) await audit.emit('T5007I', { ...fields, ...requestFields(session.assumed) })
      setSessionCookie(reply, started.cookie)
      return started.answer
    }),
    on(userStatus, () => ok),
    on(signOut, async ({ caller, reply }) => {
      await sessions.end(await own(caller))
      clearSessionCookie(reply)
      return ok
    }),
  ]
}
