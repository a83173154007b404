import * as z from 'zod/mini'
import { listOf } from '../call.ts'
import { labelWire } from './label.ts'
import type { Label } from './label.ts'

export const kubeClusterWire = z.object({
  name: z.string(),
  labels: listOf(labelWire),
  /** Of the cluster, as whom the caller may come there. */
  kubernetes_users: listOf(z.string()),
  kubernetes_groups: listOf(z.string()),
  kind: z.optional(z.string()),
  /** True for one that is only shown because of the roles that the caller searches as: access has to be asked for. */
  requiresRequest: z.optional(z.boolean()),
})
export type KubeClusterWire = z.output<typeof kubeClusterWire>

export interface KubeCluster {
  name: string
  labels: Label[]
  users: string[]
  groups: string[]
  /** It is only shown because of the roles that the viewer searches as: access has to be asked for. */
  requiresRequest?: true
}

export const toKubeCluster = (wire: KubeClusterWire): KubeCluster => ({
  name: wire.name,
  labels: wire.labels,
  users: wire.kubernetes_users,
  groups: wire.kubernetes_groups,
  ...(wire.requiresRequest && { requiresRequest: true as const }),
})

/** Something inside a cluster, such as a pod. */
export const kubeResourceWire = z.object({
  kind: z.string(),
  name: z.string(),
  labels: listOf(labelWire),
  namespace: z._default(z.string(), ''),
  cluster: z.string(),
  /** Ours: of a pod, the containers that run in it. */
  containers: z.optional(z.array(z.string())),
})
export type KubeResourceWire = z.output<typeof kubeResourceWire>
