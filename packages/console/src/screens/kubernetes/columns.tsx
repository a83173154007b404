import type { KubeCluster } from '@sallyport/wire/entities/kube-cluster.ts'
import { RequestLink } from '../../parts/access/RequestLink.tsx'
import type { ResourceRow } from '../../parts/list/ResourceList.tsx'
import { visibleLabels } from '../../ui/label-order.ts'
import { LabelList } from '../../ui/LabelList.tsx'
import type { Column } from '../../ui/use-list-table.ts'
import { ConnectButton } from './ConnectDialog.tsx'
import styles from './Kubernetes.module.css'

export const clusterColumns: Column<ResourceRow<KubeCluster>>[] = [
  {
    id: 'name',
    header: 'Name',
    width: '38%',
    sort: 'server',
    phone: 'title',
    cell: ({ item: { name } }) => (
      <span className="trunc" title={name}>
        {name}
      </span>
    ),
  },
  {
    id: 'labels',
    header: 'Labels',
    cell: ({ item: { name, labels }, isOn, onLabel }) => (
      <LabelList of={name} labels={visibleLabels(labels)} isOn={isOn} onLabel={onLabel} />
    ),
  },
  {
    id: 'become',
    header: 'You come as',
    width: '20%',
    kind: 'machine',
    cell: ({ item: { users, groups } }) => {
      const text = [...users, ...groups].join(', ')
      return (
        <span className={styles['become']} title={text}>
          {text || 'nobody'}
        </span>
      )
    },
  },
  {
    id: 'actions',
    header: 'Actions',
    width: '132px',
    kind: 'actions',
    phone: 'corner',
    skeleton: '72px',
    cell: ({ item }) =>
      item.requiresRequest ? <RequestLink kind="kube_cluster" id={item.name} name={item.name} /> : <ConnectButton cluster={item} />,
  },
]
