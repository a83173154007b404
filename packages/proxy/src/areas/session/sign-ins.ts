/** Sign-ins of oneself and, for administrators, of others; each can be ended from elsewhere. */
import { ok } from '@sallyport/wire/call.ts'
import { endOfUser, endOwn, ofUser, own } from '@sallyport/wire/calls/sign-ins.ts'
import type { SignInWire } from '@sallyport/wire/entities/sign-in.ts'
import type { Caller } from '../../core/caller.ts'
import type { SignIns } from '../../core/identity/sign-ins.ts'
import type { WebSessions } from '../../core/identity/web-sessions.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'
import type { UserStore } from '../../core/users.ts'

export interface SignInDeps {
  users: Pick<UserStore, 'require'>
  signIns: SignIns
  sessions: Pick<WebSessions, 'find'>
}

export function signInRoutes({ users, signIns, sessions }: SignInDeps): Route[] {
  async function listFor(user: string, caller: Caller): Promise<SignInWire[]> {
    const current = await sessions.find({ user: caller.username, sid: caller.sessionId })
    return (await signIns.of(user)).map((record) => ({
      id: record.loginId,
      address: record.ip,
      userAgent: record.userAgent,
      created: new Date(record.created).toISOString(),
      renewed: new Date(record.renewed).toISOString(),
      expires: new Date(record.expires).toISOString(),
      current: record.loginId === current?.loginId,
    }))
  }
  return [
    on(own, ({ caller }) => listFor(caller.username, caller)),
    on(endOwn, async ({ params, caller }) => {
      await signIns.end(caller.username, params.id)
      return ok
    }),
    on(ofUser, async ({ params, caller }) => {
      await users.require(params.name)
      return listFor(params.name, caller)
    }),
    on(endOfUser, async ({ params }) => {
      await signIns.end(params.name, params.id)
      return ok
    }),
  ]
}
