/** The clusters that somebody may see, and as whom they are there. */
import type { kubeListWire } from '@sallyport/wire/kubernetes.ts'
import type { z } from 'zod'
import { accessTo } from '../../core/access/assumed.ts'
import type { Actor } from '../../core/caller.ts'
import type { KubeClusters } from './clusters.ts'
import { namesOf } from './impersonation.ts'

export function listReachable(clusters: KubeClusters, caller: Actor): z.input<typeof kubeListWire> {
  const items = [...clusters.all()]
    .map((cluster) => ({ ...cluster, access: accessTo(caller, 'kube_cluster', cluster.name) }))
    .filter(({ access, labels }) => access.canSee('kube_cluster', labels))
    .map(({ name, labels, access }) => ({
      name,
      labels,
      users: namesOf(access, labels, 'kubernetes_users'),
      groups: namesOf(access, labels, 'kubernetes_groups'),
    }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return { items }
}
