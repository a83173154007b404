/** Access requests. Who may ask, and who may decide, is said by conditions of roles and judged by the handlers. */
import * as z from 'zod/mini'
import { call, listOf, okMessage, rule } from '../call.ts'
import {
  accessRequestsWire,
  accessRequestWire,
  requestableKinds,
  requestMaxItems,
  requestReasonMaxBytes,
  requestStates,
} from '../entities/access-request.ts'

const name = z.string().check(z.minLength(1), z.maxLength(255))
const reason = z._default(z.string().check(z.maxLength(requestReasonMaxBytes)), '')
const names = z._default(z.array(name).check(z.maxLength(requestMaxItems)), [])
const one = z.object({ requestId: name })

/** Own ones and those that one may review; all of them with the right to list and read. */
export const list = call({
  id: 'accessRequests.list',
  method: 'GET',
  path: '/v1/enterprise/accessrequest',
  allow: 'session',
  out: accessRequestsWire,
})
export const read = call({
  id: 'accessRequests.read',
  method: 'GET',
  path: '/v1/enterprise/accessrequest/{requestId}',
  allow: 'session',
  params: one,
  out: accessRequestWire,
})
/** A dry run tells what would be asked for, for how long, and stores nothing. */
export const create = call({
  id: 'accessRequests.create',
  method: 'POST',
  path: '/v1/enterprise/accessrequest',
  allow: 'session',
  body: z.object({
    reason,
    /** `*` alone: every role that one may ask for. */
    roles: names,
    resourceIds: z._default(
      z
        .array(
          z.object({
            kind: z.enum(requestableKinds),
            name,
            clusterName: name,
            subResourceName: z.optional(z.string().check(z.maxLength(255))),
          }),
        )
        .check(z.maxLength(requestMaxItems)),
      [],
    ),
    suggestedReviewers: names,
    /** RFC 3339: the latest end of the access. Absent or empty: as late as the roles allow. */
    maxDuration: z._default(z.string().check(z.maxLength(64)), ''),
    /** RFC 3339, of later peers: until then it waits for reviews. */
    requestTTL: z._default(z.string().check(z.maxLength(64)), ''),
    dryRun: z._default(z.boolean(), false),
  }),
  out: accessRequestWire,
})
/** With roles, an approval is for these alone. */
export const review = call({
  id: 'accessRequests.review',
  method: 'PUT',
  path: '/v1/enterprise/accessrequest/{requestId}',
  allow: 'session',
  params: one,
  body: z.object({ state: z.enum(requestStates), reason, roles: z.pipe(listOf(name), z.array(name).check(z.maxLength(requestMaxItems))) }),
  out: accessRequestWire,
})
export const remove = call({
  id: 'accessRequests.remove',
  method: 'DELETE',
  path: '/v1/enterprise/accessrequest/{requestId}',
  allow: rule('access_request', 'delete'),
  params: one,
  out: okMessage,
})
