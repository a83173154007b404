/** Sign-in, renewal, liveness and sign-out. Passwords travel as plain text in these calls. */
import * as z from 'zod/mini'
import { call, okMessage } from '../call.ts'
import { sessionWire } from '../entities/session.ts'

const name = z.string().check(z.maxLength(255))
const secret = z.string().check(z.maxLength(1024))

export const signIn = call({
  id: 'session.signIn',
  method: 'POST',
  path: '/v1/webapi/sessions/web',
  allow: 'public',
  limit: 'low',
  csrf: true,
  body: z.object({ user: name, pass: secret, second_factor_token: z.nullish(z.string().check(z.maxLength(64))) }),
  out: sessionWire,
})
/** At most one field may be set; no body means none. */
export const renew = call({
  id: 'session.renew',
  method: 'POST',
  path: '/v1/webapi/sessions/web/renew',
  allow: 'session',
  ownAccess: true,
  body: z._default(z.object({ requestId: z.optional(name), switchback: z.optional(z.boolean()), reloadUser: z.optional(z.boolean()) }), {}),
  out: sessionWire,
})
export const signOut = call({
  id: 'session.signOut',
  method: 'DELETE',
  path: '/v1/webapi/sessions/web',
  allow: 'session',
  ownAccess: true,
  out: okMessage,
})
export const userStatus = call({
  id: 'session.userStatus',
  method: 'GET',
  path: '/v1/webapi/user/status',
  allow: 'session',
  ownAccess: true,
  out: okMessage,
})
