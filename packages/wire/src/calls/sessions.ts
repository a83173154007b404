/** Sessions that run. */
import * as z from 'zod/mini'
import { call, listOf, okMessage, rule } from '../call.ts'
import { activeSessionWire } from '../entities/session-tracker.ts'
import { clusterParams } from './clusters.ts'

const sidParams = z.extend(clusterParams, { sid: z.uuid('invalid session id') })

/** Active and pending sessions that the caller may see. */
export const activeSessions = call({
  id: 'sessions.active',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/sessions',
  allow: rule('ssh_session', 'list'),
  params: clusterParams,
  out: z.object({ sessions: listOf(activeSessionWire) }),
})
/** Ours: ends a running session for everybody in it. For its owner, its moderators, and who may place locks. */
export const endSession = call({
  id: 'sessions.end',
  method: 'DELETE',
  path: '/v1/webapi/sites/{clusterId}/sessions/{sid}',
  allow: 'session',
  params: sidParams,
  out: okMessage,
})
/** Ours: puts one party out of a running session. For the same people. */
export const removeParty = call({
  id: 'sessions.removeParty',
  method: 'DELETE',
  path: '/v1/webapi/sites/{clusterId}/sessions/{sid}/parties/{partyId}',
  allow: 'session',
  params: z.extend(sidParams, { partyId: z.uuid('invalid party id') }),
  out: okMessage,
})
