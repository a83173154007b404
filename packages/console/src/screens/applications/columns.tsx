import type { App } from '@sallyport/wire/entities/app.ts'
import { RequestLink } from '../../parts/access/RequestLink.tsx'
import type { ResourceRow } from '../../parts/list/ResourceList.tsx'
import { Avatar } from '../../ui/Avatar.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { visibleLabels } from '../../ui/label-order.ts'
import { LabelList } from '../../ui/LabelList.tsx'
import type { Column } from '../../ui/use-list-table.ts'
import { AppActions } from './AppActions.tsx'
import { kindOf } from './app-kind.ts'

/** What people call it. */
export const titleOf = ({ friendlyName, name }: App): string => friendlyName || name

export const appColumns: Column<ResourceRow<App>>[] = [
  {
    id: 'name',
    header: 'Name',
    width: '26%',
    sort: 'server',
    phone: 'title',
    cell: ({ item: app }) => (
      <span className="row">
        <Avatar name={titleOf(app)} />
        <span className="trunc" title={titleOf(app)}>
          {titleOf(app)}
        </span>
        {kindOf(app) !== 'web' && <Badge tone="outline">{kindOf(app) === 'tcp' ? 'TCP' : 'Cloud'}</Badge>}
      </span>
    ),
  },
  {
    id: 'description',
    header: 'Description',
    sort: 'server',
    cell: ({ item: app }) => (
      <span className="trunc muted" title={app.description}>
        {app.description}
      </span>
    ),
  },
  {
    id: 'publicAddr',
    header: 'Address',
    width: '28%',
    sort: 'server',
    kind: 'machine',
    cell: ({ item: app }) => (
      <span className="trunc" title={app.addrWithProtocol}>
        {app.addrWithProtocol}
      </span>
    ),
  },
  {
    id: 'labels',
    header: 'Labels',
    cell: ({ item: app, isOn, onLabel }) => (
      <LabelList of={titleOf(app)} labels={visibleLabels(app.labels)} isOn={isOn} onLabel={onLabel} />
    ),
  },
  {
    id: 'actions',
    header: 'Actions',
    width: '132px',
    kind: 'actions',
    phone: 'corner',
    skeleton: '72px',
    cell: ({ item: app }) =>
      app.requiresRequest ? <RequestLink kind="app" id={app.name} name={titleOf(app)} /> : <AppActions app={app} />,
  },
]
