/** Trust between clusters: at the leaf the documents of the roots that it trusts, at the root the leaves that joined. */
import * as z from 'zod/mini'
import { call, listOf, okMessage, rule, ruleOr } from '../call.ts'
import { resourceContent, resourceItemsWire, resourceItemWire } from '../entities/resource-item.ts'
import { trustStateWire } from '../entities/trusted-cluster.ts'
import { clusterParams } from './clusters.ts'

const name = z.object({ name: z.string().check(z.maxLength(255)) })

/** A bare array: the clusters that this one trusts. Join tokens are not in it. */
export const list = call({
  id: 'trustedClusters.list',
  method: 'GET',
  path: '/v1/webapi/trustedcluster',
  allow: rule('trusted_cluster', 'list', 'read'),
  out: resourceItemsWire,
})
/** Contacts the root; the document gets the name of the root's cluster. */
export const create = call({
  id: 'trustedClusters.create',
  method: 'POST',
  path: '/v1/webapi/trustedcluster',
  allow: rule('trusted_cluster', 'create', 'update'),
  body: resourceContent,
  out: resourceItemWire,
})
/** Changes `role_map` or `enabled`; nothing else can be changed. */
export const update = call({
  id: 'trustedClusters.update',
  method: 'PUT',
  path: '/v1/webapi/trustedcluster/{name}',
  allow: rule('trusted_cluster', 'create', 'update'),
  params: name,
  body: resourceContent,
  out: resourceItemWire,
})
/** Ends the connection, and what runs through it. */
export const remove = call({
  id: 'trustedClusters.remove',
  method: 'DELETE',
  path: '/v1/webapi/trustedcluster/{name}',
  allow: rule('trusted_cluster', 'delete'),
  params: name,
  out: okMessage,
})
/** Ours: how the connection to each root is. */
export const states = call({
  id: 'trustedClusters.states',
  method: 'GET',
  path: '/v1/webapi/trustedcluster/states',
  allow: rule('trusted_cluster', 'list', 'read'),
  out: listOf(trustStateWire),
})

const authorities = z.array(z.string().check(z.maxLength(64 * 1024))).check(z.maxLength(16))
/** From leaf to root. Public: the token is what is proved. Each authority is base64 of a JSON document. */
export const validate = call({
  id: 'trustedClusters.validate',
  method: 'POST',
  path: '/v1/webapi/trustedclusters/validate',
  allow: 'public',
  limit: 'low',
  body: z.object({
    token: z.string().check(z.minLength(1), z.maxLength(255)),
    certificate_authorities: authorities,
    teleport_version: z._default(z.string().check(z.maxLength(255)), ''),
  }),
  out: z.object({ certificate_authorities: authorities }),
})
/** Ours: takes a leaf off the list, and its access with it. */
export const removeLeaf = call({
  id: 'trustedClusters.removeLeaf',
  method: 'DELETE',
  path: '/v1/webapi/leaves/{clusterName}',
  allow: ruleOr('trusted_cluster', 'remote_cluster', 'delete'),
  params: z.object({ clusterName: clusterParams.shape.clusterId }),
  out: okMessage,
})
