import { routePath } from '@sallyport/wire/routes.ts'
import { config } from '../../api/page.ts'
import { permittedItems } from '../../parts/nav-items.ts'
import { Redirect } from '../../parts/Redirect.tsx'
import { useClusterId } from '../../parts/use-route.ts'
import { useUserContext } from '../../parts/user-context.tsx'

/** The root, and the base of a cluster's pages: the first page that the viewer may see there. */
export function Home() {
  const clusterId = useClusterId()
  const { acl } = useUserContext()
  const [first] = permittedItems(acl, config)
  return <Redirect to={first ? first.address(clusterId) : routePath('support')} />
}
