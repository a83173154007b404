import type { KubeCluster } from '@sallyport/wire/entities/kube-cluster.ts'
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
    width: '30%',
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
    width: '26%',
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
    width: '112px',
    kind: 'actions',
    phone: 'corner',
    skeleton: '72px',
    cell: ({ item }) => <ConnectButton cluster={item} />,
  },
]
