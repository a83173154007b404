/** Whether a session asks for a second factor of its own, told before one is opened. */
import type { BodyOf } from '@sallyport/wire/call.ts'
import { bareMfaRequired, mfaRequired } from '@sallyport/wire/calls/mfa.ts'
import { accessTo } from '../../core/access/assumed.ts'
import type { Labels } from '../../core/access/match.ts'
import type { Caller } from '../../core/caller.ts'
import { requireOwnCluster } from '../../core/cluster/cluster.ts'
import type { OwnCluster } from '../../core/cluster/cluster.ts'
import type { ClusterSettings } from '../../core/cluster/cluster-settings.ts'
import { badParameter, notFound } from '../../core/errors.ts'
import type { Inventory } from '../../core/inventory/inventory.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'

export interface MfaRequiredDeps {
  cluster: OwnCluster
  settings: Pick<ClusterSettings, 'authPreference'>
  inventory: Pick<Inventory, 'resolve'>
  desktops: { get(name: string): { labels: Labels } | undefined }
}

export function mfaRequiredRoutes({ cluster, settings, inventory, desktops }: MfaRequiredDeps): Route[] {
  function decide(body: BodyOf<typeof mfaRequired>, caller: Caller): boolean {
    const { node, database, windows_desktop: desktop, kube } = body
    const named = [node, database, desktop, kube].filter((target) => target !== undefined && target !== null)
    if (named.length === 0) throw badParameter('missing target for MFA check')
    if (named.length > 1) throw badParameter('only one target is allowed for MFA check')
    if (database) throw notFound(`database "${database.service_name}" is not found`)
    if (kube) throw notFound(`kubernetes cluster "${kube.cluster_name}" is not found`)
    if (settings.authPreference.require_session_mfa !== false) return true
    // One that is unknown, or that the caller may not use, asks for nothing: opening it is refused in any case.
    if (desktop) {
      const labels = desktops.get(desktop.desktop_name)?.labels
      return labels !== undefined && caller.access.resourceNeedsMfa('windows_desktop', labels, { windows_desktop_logins: desktop.login })
    }
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
