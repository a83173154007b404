import { matchRoute } from '@sallyport/wire/routes.ts'
import { appHistory } from '../parts/navigation.ts'
import { usePlace } from '../parts/place.tsx'
import { useUserContext } from '../parts/user-context.tsx'

const clusterIn = (path: string): string | undefined => matchRoute(path)?.params['clusterId']

let last = clusterIn(appHistory.location.pathname)
appHistory.subscribe(({ location }) => {
  last = clusterIn(location.pathname) ?? last
})

/** The cluster in the address; on pages without one, the cluster that was looked at last, else the root cluster. */
export function useStickyCluster(): string {
  const { cluster } = useUserContext()
  const inPath = usePlace().match?.params['clusterId']
  return inPath ?? last ?? cluster.clusterId
}
