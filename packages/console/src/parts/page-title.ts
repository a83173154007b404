import { useEffect } from 'react'
import { routes } from '@sallyport/wire/routes.ts'
import type { RouteName } from '@sallyport/wire/routes.ts'

/** `{clusterId} • {title}` where the address names a cluster, else the route's title. */
export function titleOf(name: RouteName, clusterId: string | undefined): string {
  const { title } = routes[name]
  return clusterId === undefined || clusterId === '' ? title : `${clusterId} • ${title}`
}

let ofRoute = ''
let own: string | undefined
const apply = (): void => {
  document.title = own ?? ofRoute
}

export function setRouteTitle(title: string): void {
  ofRoute = title
  apply()
}

/** A title of the screen's own for as long as it is shown; undefined leaves the route's. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    own = title
    apply()
    return () => {
      own = undefined
      apply()
    }
  }, [title])
}
