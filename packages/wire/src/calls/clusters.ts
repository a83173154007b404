import * as z from 'zod/mini'
import { call, listOf, rule } from '../call.ts'
import { clusterWire } from '../entities/cluster.ts'
import { userContextWire } from '../entities/user-context.ts'

export const clusterParams = z.object({ clusterId: z.string().check(z.maxLength(255)) })

/** The own cluster first. A bare array. */
export const clusters = call({
  id: 'clusters.list',
  method: 'GET',
  path: '/v1/webapi/sites',
  allow: rule('remote_cluster', 'list'),
  out: listOf(clusterWire),
})
/** One of them with everything that is known of it; asked of a leaf, what that says itself. */
export const clusterInfo = call({
  id: 'clusters.info',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/info',
  allow: rule('remote_cluster', 'list'),
  params: clusterParams,
  out: z.extend(clusterWire, { isCloud: z._default(z.boolean(), false) }),
})
/** Root cluster only. */
export const userContext = call({
  id: 'clusters.userContext',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/context',
  allow: 'session',
  ownAccess: true,
  params: clusterParams,
  out: userContextWire,
})
/** The same for the root cluster, without naming it. */
export const bareUserContext = call({
  id: 'clusters.bareUserContext',
  method: 'GET',
  path: '/v1/webapi/context',
  allow: 'session',
  ownAccess: true,
  out: userContextWire,
})
const resourcesCheckWire = z.object({ hasResource: z._default(z.boolean(), false) })

/** Whether any server, application, cluster, database or desktop that the caller may see is registered. */
export const resourcesCheck = call({
  id: 'clusters.resourcesCheck',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/resources/check',
  allow: 'session',
  params: clusterParams,
  out: resourcesCheckWire,
})
/** The same for the root cluster, without naming it. */
export const bareResourcesCheck = call({
  id: 'clusters.bareResourcesCheck',
  method: 'GET',
  path: '/v1/webapi/resources/check',
  allow: 'session',
  out: resourcesCheckWire,
})
