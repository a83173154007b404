/** Live sessions and the playback of recordings. */
import * as z from 'zod/mini'
import { auditEventWire } from '../audit/event.ts'
import { call, listOf, okMessage, rule } from '../call.ts'
import { activeSessionWire } from '../entities/session-tracker.ts'
import { clusterParams } from './clusters.ts'

const sidParams = z.extend(clusterParams, { sid: z.uuid('invalid session id') })

const wholeNumber = z.coerce.number().check(z.int(), z.minimum(0))

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
/** Every event of a recording, oldest first, output as `print` events that point into the stream. */
export const recordingEvents = call({
  id: 'sessions.recordingEvents',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/sessions/{sid}/events',
  allow: 'session',
  params: sidParams,
  query: z.object({ after: z.optional(wholeNumber) }),
  out: z.object({ events: listOf(auditEventWire), startKey: z._default(z.string(), '') }),
})
/** Raw bytes of a recording's output. `bytes` absent, not positive or above 5 MiB means 5 MiB. */
export const recordingStream = call({
  id: 'sessions.recordingStream',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/sessions/{sid}/stream',
  allow: 'session',
  params: sidParams,
  query: z.object({ offset: z._default(wholeNumber, 0), bytes: z.optional(z.coerce.number().check(z.int())) }),
  answer: 'raw',
})
/** Milliseconds that a finished recording lasts. */
export const recordingLength = call({
  id: 'sessions.recordingLength',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/sessionlength/{sid}',
  allow: 'session',
  params: sidParams,
  out: z.object({ durationMs: z.number(), recordingType: z.optional(z.string()) }),
})
