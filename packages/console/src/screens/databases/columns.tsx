import type { Database } from '@sallyport/wire/entities/database.ts'
import { RequestLink } from '../../parts/access/RequestLink.tsx'
import type { ResourceRow } from '../../parts/list/ResourceList.tsx'
import { visibleLabels } from '../../ui/label-order.ts'
import { LabelList } from '../../ui/LabelList.tsx'
import type { Column } from '../../ui/use-list-table.ts'
import { DatabaseActions } from './DatabaseActions.tsx'

export const databaseColumns: Column<ResourceRow<Database>>[] = [
  {
    id: 'name',
    header: 'Name',
    width: '32%',
    sort: 'server',
    phone: 'title',
    cell: ({ item }) => (
      <span className="trunc" title={item.name}>
        {item.name}
      </span>
    ),
  },
  {
    id: 'description',
    header: 'Description',
    width: '18%',
    sort: 'server',
    phone: 'hide',
    cell: ({ item }) => (
      <span className="trunc muted" title={item.description}>
        {item.description || '–'}
      </span>
    ),
  },
  { id: 'type', header: 'Type', width: '200px', sort: 'server', cell: ({ item }) => item.type },
  {
    id: 'labels',
    header: 'Labels',
    cell: ({ item, isOn, onLabel }) => <LabelList of={item.name} labels={visibleLabels(item.labels)} isOn={isOn} onLabel={onLabel} />,
  },
  {
    id: 'actions',
    header: 'Actions',
    width: '132px',
    kind: 'actions',
    phone: 'corner',
    skeleton: '72px',
    cell: ({ item }) =>
      item.requiresRequest ? <RequestLink kind="db" id={item.name} name={item.name} /> : <DatabaseActions database={item} />,
  },
]
