/** What must be known before the first private screen: the viewer, then the proxy. */
import { queryOptions } from '@tanstack/react-query'
import { noAccess } from '@sallyport/wire/acl.ts'
import { ping } from '@sallyport/wire/calls/bootstrap.ts'
import { userContext } from '@sallyport/wire/calls/clusters.ts'
import { toUserContext } from '@sallyport/wire/entities/user-context.ts'
import { config, request, tellsAssist } from './page.ts'
import { checkResourcesOnce } from './resource-check.ts'
import { formatDate } from '../ui/dates.ts'

export const bootQuery = queryOptions({
  queryKey: ['boot'],
  staleTime: Infinity,
  queryFn: async ({ signal }) => {
    const context = await request(userContext, { params: { clusterId: config.proxyCluster } }, { signal })
    const user = toUserContext(context, (date) => formatDate(date, config.loc.dateTimeFormat))
    await checkResourcesOnce(user.acl, signal)
    const proxy = await request(ping, {}, { signal })
    if (!(tellsAssist ? config.assistEnabled : proxy.proxy?.assist_enabled)) user.acl.assist = noAccess
    return { user, proxy }
  },
})
