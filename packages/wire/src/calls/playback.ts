/** Recordings as every console plays them. */
import * as z from 'zod/mini'
import { auditEventWire } from '../audit/event.ts'
import { call, listOf } from '../call.ts'
import { clusterParams } from './clusters.ts'

const sidParams = z.extend(clusterParams, { sid: z.uuid('invalid session id') })
const wholeNumber = z.coerce.number().check(z.int(), z.minimum(0))

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
/** Raw bytes of a recording's output. `bytes` absent, no positive number or above 5 MiB means 5 MiB. */
export const recordingStream = call({
  id: 'sessions.recordingStream',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/sessions/{sid}/stream',
  allow: 'session',
  params: sidParams,
  query: z.object({ offset: z._default(wholeNumber, 0), bytes: z.optional(z.catch(z.coerce.number().check(z.int()), 0)) }),
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
