import * as calls from '@sallyport/wire/calls/nodes.ts'
import { toLabels } from '@sallyport/wire/entities/label.ts'
import type { AccessChecker } from '../../core/access/checker.ts'
import { requireOwnCluster } from '../../core/cluster/cluster.ts'
import type { OwnCluster } from '../../core/cluster/cluster.ts'
import type { Inventory, Node } from '../../core/inventory/inventory.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'

export interface NodesDeps {
  cluster: OwnCluster
  inventory: Inventory
}

const toWire = (node: Node, siteId: string, access: AccessChecker) => ({
  id: node.id,
  siteId,
  hostname: node.hostname,
  addr: node.tunnel ? '' : node.addr,
  tunnel: node.tunnel,
  tags: toLabels(node.labels),
  sshLogins: access.nodeLogins(node.labels, node.logins),
  subKind: node.subKind,
})

export const nodesRoutes = ({ cluster, inventory }: NodesDeps): Route[] => [
  on(calls.nodes, ({ params, query, caller: { access } }) => {
    requireOwnCluster(cluster, params.clusterId)
    const page = inventory.list(query, (node) => access.canSeeNode(node.labels))
    return { ...page, items: page.items.map((node) => toWire(node, cluster.name, access)) }
  }),
]
