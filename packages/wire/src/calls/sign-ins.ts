/** Ours: the sign-ins of a user on the web, and ending them from elsewhere. Newest first. */
import * as z from 'zod/mini'
import { call, okMessage, rule } from '../call.ts'
import { signInWire } from '../entities/sign-in.ts'

const id = z.string().check(z.maxLength(128))
const name = z.string().check(z.maxLength(255))

export const own = call({
  id: 'signIns.own',
  method: 'GET',
  path: '/v1/webapi/sessions/web/all',
  allow: 'session',
  out: z.array(signInWire),
})
export const endOwn = call({
  id: 'signIns.endOwn',
  method: 'DELETE',
  path: '/v1/webapi/sessions/web/all/{id}',
  allow: 'session',
  params: z.object({ id }),
  out: okMessage,
})
export const ofUser = call({
  id: 'signIns.ofUser',
  method: 'GET',
  path: '/v1/webapi/users/{name}/sessions',
  allow: rule('user', 'update'),
  params: z.object({ name }),
  out: z.array(signInWire),
})
export const endOfUser = call({
  id: 'signIns.endOfUser',
  method: 'DELETE',
  path: '/v1/webapi/users/{name}/sessions/{id}',
  allow: rule('user', 'update'),
  params: z.object({ name, id }),
  out: okMessage,
})
