/** Users; passwords, invites and resets. */
import { ok, zeroTime } from '@sallyport/wire/call.ts'
import { changePassword, completeUserToken, createUserToken, readUserToken } from '@sallyport/wire/calls/users.ts'
import { accessDenied } from '../../core/errors.ts'
import type { Accounts } from '../../core/identity/accounts.ts'
import type { ChangePassword } from '../../core/identity/change-password.ts'
import type { Enrolment } from '../../core/identity/enrolment.ts'
import { decodePassword } from '../../core/identity/passwords.ts'
import { codesWire } from '../../core/identity/recovery-codes.ts'
import { setSessionCookie } from '../../core/identity/session-cookie.ts'
import type { SetUp } from '../../core/identity/set-up.ts'
import type { WebSessions } from '../../core/identity/web-sessions.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'
import { userRoutes } from './user-routes.ts'
import type { UserRoutesDeps } from './user-routes.ts'

export interface UsersAreaDeps extends UserRoutesDeps {
  accounts: Accounts
  enrolment: Pick<Enrolment, 'read'>
  setUp: SetUp
  changePassword: ChangePassword
  sessions: Pick<WebSessions, 'endOthersOf'>
}

export function usersRoutes(deps: UsersAreaDeps): Route[] {
  const { accounts, enrolment, setUp, changePassword: change, sessions } = deps
  return [
    ...userRoutes(deps),
    on(changePassword, async ({ body, caller }) => {
      await change({
        user: caller.username,
        oldPassword: decodePassword(body.old_password),
        newPassword: decodePassword(body.new_password),
        code: body.second_factor_token ?? '',
        assertion: body.webauthnAssertionResponse ?? undefined,
      })
      // Whoever knew the old password is out; the browser that changed it stays.
      await sessions.endOthersOf(caller.username, caller.sessionId)
      return ok
    }),
    on(createUserToken, async ({ body, caller }) => {
      const { tokenId, expires } = await accounts.reset(
        body.name,
        body.type || 'password',
        caller.username,
        body.lifetimeSeconds ? body.lifetimeSeconds * 1000 : undefined,
      )
      return { tokenId, user: body.name, expiry: new Date(expires).toISOString() }
    }),
    on(readUserToken, async ({ params: { tokenId } }) => {
      const read = await enrolment.read(tokenId)
      if (!read) throw accessDenied('bad or expired token')
      return { tokenId, user: read.user, qrCode: read.qrCode, totpSecret: read.secret, expiry: zeroTime }
    }),
    on(completeUserToken, async ({ body, client, reply }) => {
      const { session, recovery } = await setUp(
        {
          tokenId: body.token,
          password: decodePassword(body.password ?? ''),
          code: body.second_factor_token ?? '',
          attestation: body.webauthnCreationResponse ?? undefined,
          deviceName: body.deviceName ?? '',
        },
        client,
      )
      if (session) setSessionCookie(reply, session.cookie)
      return { recovery: recovery ? codesWire(recovery) : {}, ...(session ? {} : { privateKeyPolicyEnabled: true }) }
    }),
  ]
}
