import { Monitor } from 'lucide-react'
import type { Desktop } from '@sallyport/wire/entities/desktop.ts'
import { RequestLink } from '../../parts/access/RequestLink.tsx'
import type { ResourceRow } from '../../parts/list/ResourceList.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { visibleLabels } from '../../ui/label-order.ts'
import { LabelList } from '../../ui/LabelList.tsx'
import type { Column } from '../../ui/use-list-table.ts'
import { DesktopActions } from './DesktopActions.tsx'

export const desktopColumns: Column<ResourceRow<Desktop>>[] = [
  {
    id: 'name',
    header: 'Name',
    width: '33%',
    sort: 'server',
    phone: 'title',
    cell: ({ item: { name } }) => (
      <span className="row">
        <Icon of={Monitor} />
        <span className="trunc" title={name}>
          {name}
        </span>
      </span>
    ),
  },
  {
    id: 'addr',
    header: 'Address',
    width: '200px',
    sort: 'server',
    kind: 'machine',
    cell: ({ item: { addr } }) => <span title={addr}>{addr}</span>,
  },
  {
    id: 'labels',
    header: 'Labels',
    cell: ({ item: { name, labels }, isOn, onLabel }) => (
      <LabelList of={name} labels={visibleLabels(labels)} isOn={isOn} onLabel={onLabel} />
    ),
  },
  {
    id: 'actions',
    header: 'Actions',
    width: '154px',
    kind: 'actions',
    phone: 'corner',
    skeleton: '72px',
    cell: ({ item }) =>
      item.requiresRequest ? <RequestLink kind="windows_desktop" id={item.name} name={item.name} /> : <DesktopActions desktop={item} />,
  },
]
