/** Calls that need no session: what the server is, and the message of the day. */
import * as z from 'zod/mini'
import { call } from '../call.ts'
import { pingWire } from '../entities/ping.ts'

export const ping = call({
  id: 'bootstrap.ping',
  method: 'GET',
  path: '/v1/webapi/ping',
  allow: 'public',
  limit: 'high',
  limitAnonymousOnly: true,
  out: pingWire,
})
export const pingConnector = call({
  id: 'bootstrap.pingConnector',
  method: 'GET',
  path: '/v1/webapi/ping/{connector}',
  allow: 'public',
  limit: 'high',
  limitAnonymousOnly: true,
  params: z.object({ connector: z.string().check(z.maxLength(255)) }),
  out: pingWire,
})
export const find = call({
  id: 'bootstrap.find',
  method: 'GET',
  path: '/v1/webapi/find',
  allow: 'public',
  limit: 'high',
  limitAnonymousOnly: true,
  out: pingWire,
})
export const motd = call({
  id: 'bootstrap.motd',
  method: 'GET',
  path: '/v1/webapi/motd',
  allow: 'public',
  limit: 'high',
  out: z.object({ text: z._default(z.string(), '') }),
})
/** Lower-case hex SHA-1 of the last certificate of the chain served; on plain HTTP, of the cluster's own authority. */
export const thumbprint = call({
  id: 'bootstrap.thumbprint',
  method: 'GET',
  path: '/v1/webapi/thumbprint',
  allow: 'public',
  limit: 'low',
  out: z.string(),
})
