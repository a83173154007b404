import { featureRules, routes } from '@sallyport/wire/routes.ts'
import type { Route, RouteName } from '@sallyport/wire/routes.ts'
import type { UserAcl } from '@sallyport/wire/acl.ts'
import { config } from '../api/page.ts'

/** Whether the viewer's rights open a route; routes without a flag are open to everybody who is signed in. */
export function isOpen(name: RouteName, acl: UserAcl): boolean {
  const route: Route = routes[name]
  return route.feature === undefined || featureRules[route.feature](acl, config)
}
