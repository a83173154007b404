/** Whether a session asks for a second factor of its own, told before one is opened. */
import type { BodyOf } from '@sallyport/wire/call.ts'
import { bareMfaRequired, mfaRequired } from '@sallyport/wire/calls/mfa.ts'
import { accessTo } from '../../core/access/assumed.ts'
import type { Caller } from '../../core/caller.ts'
import { requireOwnCluster } from '../../core/cluster/cluster.ts'
import type { OwnCluster } from '../../core/cluster/cluster.ts'
import type { ClusterSettings } from '../../core/cluster/cluster-settings.ts'
import { badParameter, notFound } from '../../core/errors.ts'
import type { Inventory } from '../../core/inventory/inventory.ts'
import type { Registered } from '../../core/inventory/entry.ts'
import type { Registry } from '../../core/inventory/registry.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'

export interface MfaRequiredDeps {
  cluster: OwnCluster
  settings: Pick<ClusterSettings, 'authPreference'>
  inventory: Pick<Inventory, 'resolve'>
  kubernetes: { registry: Pick<Registry<Registered, never>, 'get'> }
  desktops: Pick<Registry<Registered, never>, 'get'>
}

export function mfaRequiredRoutes({ cluster, settings, inventory, kubernetes, desktops }: MfaRequiredDeps): Route[] {
  function decide(body: BodyOf<typeof mfaRequired>, caller: Caller): boolean {
    const { node, database, windows_desktop: desktop, kube } = body
    const named = [node, database, desktop, kube].filter((target) => target !== undefined && target !== null)
    if (named.length === 0) throw badParameter('missing target for MFA check')
    if (named.length > 1) throw badParameter('only one target is allowed for MFA check')
    if (database) throw notFound(`database "${database.service_name}" is not found`)
    const clusterLabels = kube && kubernetes.registry.get(kube.cluster_name)?.labels
    if (kube && !clusterLabels) throw notFound(`kubernetes cluster "${kube.cluster_name}" is not found`)
    if (settings.authPreference.require_session_mfa !== false) return true
    if (clusterLabels) return accessTo(caller, 'kube_cluster', kube.cluster_name).resourceNeedsMfa('kube_cluster', clusterLabels)
    if (desktop) {
      const { desktop_name: name, login } = desktop
      const labels = desktops.get(name)?.labels
      const wanted = { windows_desktop_logins: login }
      return labels !== undefined && accessTo(caller, 'windows_desktop', name).resourceNeedsMfa('windows_desktop', labels, wanted)
    }
    // One that is unknown, or hidden, asks for nothing: opening it is refused in any case.
    const found = node && inventory.resolve(node.node_name, ({ id, labels }) => accessTo(caller, 'node', id).canSeeNode(labels))
    return found?.kind === 'found' && accessTo(caller, 'node', found.node.id).needsSessionMfa(found.node.labels, node?.login ?? '')
  }
  return [
    on(mfaRequired, ({ params, body, caller }) => {
      requireOwnCluster(cluster, params.clusterId)
      return { required: decide(body, caller) }
    }),
    on(bareMfaRequired, ({ body, caller }) => ({ required: decide(body, caller) })),
  ]
}
