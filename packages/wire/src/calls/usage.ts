/** What consoles tell about their use, fire and forget: nobody reads the answers. */
import * as z from 'zod/mini'
import { call } from '../call.ts'
import { discoverEvent, usageEvent, usageEventBefore } from '../entities/usage-event.ts'

const given = (missing: string) => z.string({ error: missing }).check(z.minLength(1, missing), z.maxLength(255))
const text = z.nullish(z.string().check(z.maxLength(255)))

/** Before anybody is signed in: setting up an account. */
export const precapture = call({
  id: 'usage.precapture',
  method: 'POST',
  path: '/v1/webapi/precapture',
  allow: 'public',
  limit: 'low',
  limitAnonymousOnly: true,
  body: z.object({
    event: usageEventBefore,
    username: given('missing required parameter Username'),
    mfaType: text,
    loginFlow: text,
  }),
  answer: 'empty',
})
export const capture = call({
  id: 'usage.capture',
  method: 'POST',
  path: '/v1/webapi/capture',
  allow: 'session',
  body: z.object({ event: usageEvent, alert: text, eventData: z.optional(z.unknown()) }).check(
    z.refine(({ event, eventData }) => !discoverEvent.test(event) || (eventData ?? undefined) !== undefined, {
      error: 'missing required parameter EventData',
    }),
  ),
  answer: 'empty',
})
/** Spans of a console's telemetry, in the JSON of OTLP: `{resourceSpans: […]}`. 200, or 400 for anything else, both without a body. */
export const spansWire = z.object({ resourceSpans: z.array(z.unknown()) })
export const traces = call({
  id: 'usage.traces',
  method: 'POST',
  path: '/v1/webapi/traces',
  allow: 'session',
  body: z.unknown(),
  answer: 'raw',
})
