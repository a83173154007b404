/** The call with which a host joins. */
import { joinHost } from '@sallyport/wire/calls/join.ts'
import type { JoinHost } from '../../core/join/join-host.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'

export const joinRoutes = ({ join }: { join: JoinHost }): Route[] => [on(joinHost, ({ body, client }) => join(body, client))]
