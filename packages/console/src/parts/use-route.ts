import type { RouteName, RouteParams } from '@sallyport/wire/routes.ts'
import { usePlace } from './place.tsx'
import { useUserContext } from './user-context.tsx'

/** The parameters of the route this screen was opened by. Call it with that route's own name. */
export function useRouteParams<R extends RouteName>(_route: R): RouteParams<R> {
  // A match fills in exactly the parameters that its pattern names.
  return (usePlace().match?.params ?? {}) as RouteParams<R>
}

/** The cluster in the address; the root cluster on screens that have none. */
export function useClusterId(): string {
  const { match } = usePlace()
  const { cluster } = useUserContext()
  return match?.params['clusterId'] ?? cluster.clusterId
}
