import { kubernetes } from '@sallyport/wire/calls/kubernetes.ts'
import { toKubeCluster } from '@sallyport/wire/entities/kube-cluster.ts'
import type { KubeCluster, KubeClusterWire } from '@sallyport/wire/entities/kube-cluster.ts'
import { EnrollButton } from '../../parts/EnrollButton.tsx'
import { NoResources } from '../../parts/list/NoResources.tsx'
import { ResourceList } from '../../parts/list/ResourceList.tsx'
import type { ResourceKindList } from '../../parts/list/ResourceList.tsx'
import { clusterColumns } from './columns.tsx'

const clusters: ResourceKindList<KubeClusterWire, KubeCluster> = {
  call: kubernetes,
  title: 'Kubernetes',
  one: 'cluster',
  many: 'clusters',
  rule: 'kube_server: list, read',
  searched: 'name or labels',
  order: { fields: ['name'] },
  columns: clusterColumns,
  hints: [
    ['j k', 'move'],
    ['↵', 'connect'],
  ],
  toItem: toKubeCluster,
  keyOf: ({ name }) => name,
  labelsOf: ({ labels }) => labels,
}

/** The Kubernetes clusters that the viewer may see. */
export function Kubernetes() {
  return (
    <ResourceList
      kind={clusters}
      actions={<EnrollButton kind="kubernetes" label="Enroll cluster" />}
      nothing={
        <NoResources kind="kubernetes" request="kube_cluster" one="cluster" many="Kubernetes clusters">
          Use kubectl with your own identity and see every request.
        </NoResources>
      }
    />
  )
}
