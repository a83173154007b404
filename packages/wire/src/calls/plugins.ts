/** Plugins of proxies that have them. This one has none, so its list of calls does not hold these. */
import * as z from 'zod/mini'
import { call, listOf, okMessage, rule } from '../call.ts'
import { pluginWire } from '../entities/integration.ts'
import { clusterParams } from './clusters.ts'

export const list = call({
  id: 'plugins.list',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/plugins',
  allow: rule('plugin', 'list', 'read'),
  params: clusterParams,
  out: z.object({ items: listOf(pluginWire) }),
})
export const remove = call({
  id: 'plugins.remove',
  method: 'DELETE',
  path: '/v1/webapi/sites/{clusterId}/plugins/{name}',
  allow: rule('plugin', 'delete'),
  params: z.extend(clusterParams, { name: z.string().check(z.maxLength(255)) }),
  out: okMessage,
})
