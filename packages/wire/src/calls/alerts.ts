import * as z from 'zod/mini'
import { call, listOf } from '../call.ts'
import { clusterAlertWire } from '../entities/cluster-alert.ts'
import { clusterParams } from './clusters.ts'

/** Those that are for the caller. */
export const alerts = call({
  id: 'alerts.list',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/alerts',
  allow: 'session',
  params: clusterParams,
  out: z.object({ alerts: listOf(clusterAlertWire) }),
})
