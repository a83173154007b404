import * as calls from '@sallyport/wire/calls/kubernetes.ts'
import { toLabels } from '@sallyport/wire/entities/label.ts'
import type { AccessService } from '../../core/access/access.ts'
import { accessTo, requestedOf } from '../../core/access/assumed.ts'
import { searchChecker } from '../../core/access/search-as-roles.ts'
import type { AccessChecker } from '../../core/access/checker.ts'
import { viewerFor } from '../../core/access/viewer-for.ts'
import type { Audit } from '../../core/audit/audit.ts'
import type { Caller } from '../../core/caller.ts'
import { requireOwnCluster } from '../../core/cluster/cluster.ts'
import type { OwnCluster } from '../../core/cluster/cluster.ts'
import type { Viewer } from '../../core/inventory/entry-index.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'
import type { Reached, Served } from '../../core/served/served.ts'

export interface KubernetesDeps<T extends Reached> {
  cluster: OwnCluster
  kubernetes: { registry: Pick<Served<T, never, never>['registry'], 'list'> }
  access: AccessService
  audit: Pick<Audit, 'emit'>
}

const kind = 'kube_cluster'

export function kubernetesRoutes<T extends Reached>({ cluster, kubernetes, access: service, audit }: KubernetesDeps<T>): Route[] {
  const viewOf = (access: AccessChecker): Viewer => viewerFor(access, kind)
  /** What else is shown to somebody who asks for it; that they look is in the audit log before they see it. */
  async function searching(caller: Caller): Promise<AccessChecker | undefined> {
    const wider = await searchChecker(service, caller)
    if (wider) await audit.emit('T5004I', { user: caller.username, resource_type: kind, search_as_roles: [...caller.access.searchAsRoles] })
    return wider
  }
  return [
    on(calls.kubernetes, async ({ params, query, caller }) => {
      requireOwnCluster(cluster, params.clusterId)
      const wider = query.searchAsRoles === 'yes' ? await searching(caller) : undefined
      const page = kubernetes.registry.list(query, [viewOf(caller.access), ...requestedOf(caller, kind), ...(wider ? [viewOf(wider)] : [])])
      return {
        ...page,
        items: page.items.map(({ id, labels }) => {
          const access = accessTo(caller, kind, id)
          return {
            kind,
            name: id,
            labels: toLabels(labels),
            kubernetes_users: access.principals(kind, labels, 'kubernetes_users'),
            kubernetes_groups: access.principals(kind, labels, 'kubernetes_groups'),
            ...(!access.canSee(kind, labels) && { requiresRequest: true }),
          }
        }),
      }
    }),
  ]
}
