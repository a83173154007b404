import * as calls from '@sallyport/wire/calls/nodes.ts'
import { toLabels } from '@sallyport/wire/entities/label.ts'
import type { AccessService } from '../../core/access/access.ts'
import { accessTo, requestedOf } from '../../core/access/assumed.ts'
import type { AccessChecker } from '../../core/access/checker.ts'
import { searchChecker } from '../../core/access/search-as-roles.ts'
import type { Audit } from '../../core/audit/audit.ts'
import type { Caller } from '../../core/caller.ts'
import { requireOwnCluster } from '../../core/cluster/cluster.ts'
import type { OwnCluster } from '../../core/cluster/cluster.ts'
import type { Inventory, Node } from '../../core/inventory/inventory.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'

export interface NodesDeps {
  cluster: OwnCluster
  inventory: Inventory
  access: AccessService
  audit: Pick<Audit, 'emit'>
}

/** Logins are those that the caller has, however the node was found. */
const toWire = (node: Node, siteId: string, access: AccessChecker) => ({
  id: node.id,
  siteId,
  hostname: node.hostname,
  addr: node.tunnel ? '' : node.addr,
  tunnel: node.tunnel,
  tags: toLabels(node.labels),
  sshLogins: access.nodeLogins(node.labels, node.logins),
  subKind: node.subKind,
  ...(!access.canSeeNode(node.labels) && { requiresRequest: true }),
})

export function nodesRoutes({ cluster, inventory, access: service, audit }: NodesDeps): Route[] {
  /** What else is shown to somebody who asks for it; that they look is in the audit log before they see it. */
  async function searching(caller: Caller): Promise<AccessChecker | undefined> {
    const wider = await searchChecker(service, caller)
    if (wider)
      await audit.emit('T5004I', { user: caller.username, resource_type: 'node', search_as_roles: [...caller.access.searchAsRoles] })
    return wider
  }
  return [
    on(calls.nodes, async ({ params, query, caller }) => {
      requireOwnCluster(cluster, params.clusterId)
      const wider = query.searchAsRoles === 'yes' ? await searching(caller) : undefined
      const page = inventory.list(query, [caller.access, ...requestedOf(caller, 'node'), ...(wider ? [wider] : [])])
      return { ...page, items: page.items.map((node) => toWire(node, cluster.name, accessTo(caller, 'node', node.id))) }
    }),
  ]
}
