import { call, rule } from '../call.ts'
import { listQueryWire, pageOf } from '../entities/list.ts'
import { nodeWire } from '../entities/node.ts'
import { clusterParams } from './clusters.ts'

/** Sortable by name, hostname, address (`addr` is an alias). */
export const nodes = call({
  id: 'nodes.list',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/nodes',
  allow: rule('node', 'list'),
  params: clusterParams,
  query: listQueryWire,
  out: pageOf(nodeWire),
})
