import { shellQuoted } from './shell-quoted.ts'
import { useClusterId } from './use-route.ts'
import { useUserContext } from './user-context.tsx'

/** What stands behind a command of `sallyport` that is about the cluster of this screen; nothing for one's own. */
export function useClusterFlag(): string {
  const clusterId = useClusterId()
  const { cluster } = useUserContext()
  return clusterId === cluster.clusterId ? '' : ` --cluster=${shellQuoted(clusterId)}`
}
