/** Access requests over the control socket: whoever runs the proxy decides without reviews. */
import { adminCalls } from '@sallyport/wire/admin.ts'
import type { Context } from '../context.ts'
import { endOf } from '../core/requests/request.ts'
import type { AccessRequest } from '../core/requests/request.ts'
import type { OnAdminCall } from './admin-resources.ts'

export type AdminRequestsContext = Pick<Context, 'requests' | 'clock'>

export function serveRequests(on: OnAdminCall, { requests, clock }: AdminRequestsContext, by: string): void {
  const toWire = ({ metadata, spec }: AccessRequest) => ({
    id: metadata.name,
    user: spec.user,
    roles: spec.roles,
    resources: spec.resources.length,
    state: spec.state !== 'DENIED' && endOf(spec) <= clock.now() ? 'EXPIRED' : spec.state,
    reason: spec.reason,
    created: spec.created,
  })
  on(adminCalls.listRequests, async () => (await requests.all()).map(toWire))
  on(adminCalls.createRequest, async ({ user, roles, reason }) =>
    toWire(await requests.create(user, { roles, reason, resources: [], suggestedReviewers: [], maxDuration: '', pendingUntil: '' })),
  )
  on(adminCalls.decideRequest, async ({ id, state, reason }) => toWire(await requests.decide(id, by, { state, reason })))
  on(adminCalls.removeRequest, async ({ id }) => {
    await requests.remove(id, by)
    return { message: 'ok' }
  })
}
