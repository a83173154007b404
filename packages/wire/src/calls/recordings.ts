/**
 * Calls of ours about recordings. A proxy that does not have them answers 404; a console then plays from the beginning
 * and looks through what it loaded. Times are milliseconds since the first output.
 */
import * as z from 'zod/mini'
import { auditEventWire } from '../audit/event.ts'
import { call, listOf, rule } from '../call.ts'
import { recordingSearchLimit, recordingSearchMaxLimit } from '../limits.ts'
import { clusterParams } from './clusters.ts'

const sidParams = z.extend(clusterParams, { sid: z.uuid('invalid session id') })
const whole = z.int().check(z.minimum(0))

/**
 * A finished recording at a glance: its events without output, and the stretches that it can be entered at. 404 when
 * the recording is still being written, or its key frames are not made yet.
 */
export const outline = call({
  id: 'recordings.outline',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/sessions/{sid}/outline',
  allow: 'session',
  params: sidParams,
  out: z.object({
    events: listOf(auditEventWire),
    /** Time of the first output. */
    zero: z.string(),
    durationMs: whole,
    bytes: whole,
    /** Output per equal part of the time, 0..1 of the busiest. */
    wave: z.array(z.number()),
    idles: z.array(z.object({ from: whole, to: whole })),
    /** Commands that the shell told of, if it does; `exit`: what they ended with. */
    commands: z._default(z.array(z.object({ at: whole, text: z.string(), exit: z.optional(whole) })), []),
    /** `offset`: where the output of the stretch begins in the stream. */
    stretches: z.array(z.object({ at: whole, offset: whole, hasScreen: z.boolean() })),
    /** Whether the cluster's signature is under exactly this recording. */
    seal: z.enum(['signed', 'unsigned', 'forged']),
  }),
})

/** The stretch that a time lies in. */
export const keyframe = call({
  id: 'recordings.keyframe',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/sessions/{sid}/keyframe',
  allow: 'session',
  params: sidParams,
  query: z.object({ at: z._default(z.coerce.number().check(z.int(), z.minimum(0)), 0) }),
  out: z.object({
    /** Its number in the outline. */
    number: whole,
    columns: whole,
    rows: whole,
    /** Output that brings an empty terminal of that size to the beginning of the stretch. */
    screen: z.optional(z.string()),
    /** By turns: milliseconds since the print before (the first: since the stretch began), and bytes. */
    prints: z.array(whole),
    /** By turns: milliseconds since the stretch began, columns, rows. */
    sizes: z.array(whole),
  }),
})

/** `cast`: asciicast v2. `text`: readable lines. */
export const exportFormats = ['cast', 'text'] as const
export const exportRecording = call({
  id: 'recordings.export',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/sessions/{sid}/export',
  allow: 'session',
  params: sidParams,
  query: z.object({ format: z._default(z.enum(exportFormats, 'format must be "cast" or "text"'), 'cast') }),
  answer: 'raw',
})

const time = (name: string) =>
  z.pipe(
    z.optional(z.string()),
    z.transform((value, context) => {
      if (value === undefined || value === '') return undefined
      const date = new Date(value)
      if (/^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(date.getTime())) return date
      context.issues.push({ code: 'custom', message: `failed to parse ${name} as RFC3339 time: ${value}`, input: value })
      return z.NEVER
    }),
  )

/**
 * Lines that were on the screens of finished sessions, newest recording first. The words of `query` follow each other
 * in a line; the last one may be the beginning of a word. `from` and `to` are about the session's start, `user` about
 * whoever was in it.
 */
export const search = call({
  id: 'recordings.search',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/recordings/search',
  allow: rule('session', 'list', 'read'),
  params: clusterParams,
  query: z.object({
    query: z._default(z.string().check(z.maxLength(200, 'query: at most 200 characters')), ''),
    from: time('from'),
    to: time('to'),
    user: z.optional(z.string().check(z.maxLength(255))),
    sid: z.optional(z.uuid('invalid session id')),
    limit: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(recordingSearchMaxLimit)), recordingSearchLimit),
    startKey: z.optional(z.string().check(z.maxLength(64))),
  }),
  out: z.object({
    hits: listOf(z.object({ sid: z.string(), at: whole, text: z.string(), from: whole, to: whole })),
    /** The events that ended the sessions of the hits. */
    recordings: listOf(auditEventWire),
    startKey: z._default(z.string(), ''),
  }),
})
