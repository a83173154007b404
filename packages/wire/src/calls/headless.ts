/** Approving a sign-in that was started on a machine without a browser. */
import * as z from 'zod/mini'
import { call, okMessage } from '../call.ts'
import { headlessWire } from '../entities/headless.ts'
import { assertionWire } from '../entities/mfa.ts'

/** The id is the requestId of the screen's address. */
const params = z.object({ headless_authentication_id: z.string().check(z.maxLength(64)) })

/** Waits a while for the command to ask. */
export const readHeadless = call({
  id: 'headless.read',
  method: 'GET',
  path: '/v1/webapi/headless/{headless_authentication_id}',
  allow: 'session',
  params,
  out: headlessWire,
})
export const decideHeadless = call({
  id: 'headless.decide',
  method: 'PUT',
  path: '/v1/webapi/headless/{headless_authentication_id}',
  allow: 'session',
  params,
  body: z.object({ action: z.string().check(z.maxLength(32)), webauthnAssertionResponse: z.nullish(assertionWire) }),
  out: okMessage,
})
