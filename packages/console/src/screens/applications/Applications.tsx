import { apps } from '@sallyport/wire/calls/apps.ts'
import { toApp } from '@sallyport/wire/entities/app.ts'
import type { App, AppWire } from '@sallyport/wire/entities/app.ts'
import { EnrollButton } from '../../parts/EnrollButton.tsx'
import { ResourceList } from '../../parts/list/ResourceList.tsx'
import type { ResourceKindList } from '../../parts/list/ResourceList.tsx'
import { useClusterId } from '../../parts/use-route.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { appColumns } from './columns.tsx'

const applications: ResourceKindList<AppWire, App> = {
  call: apps,
  title: 'Applications',
  one: 'application',
  many: 'applications',
  rule: 'app_server: list, read',
  searched: 'name, description, address or labels',
  order: { fields: ['name', 'description', 'publicAddr'] },
  columns: appColumns,
  hints: [
    ['j k', 'move'],
    ['↵', 'launch'],
    ['m', 'menu'],
  ],
  toItem: toApp,
  keyOf: ({ id }) => id,
  labelsOf: ({ labels }) => labels,
}

/** The applications of a cluster that the viewer may see. */
export function Applications() {
  const clusterId = useClusterId()
  return (
    <ResourceList
      kind={applications}
      actions={<EnrollButton kind="application" label="Enroll application" />}
      nothing={
        <EmptyState title="No applications here" actions={<EnrollButton kind="application" label="Enroll application" primary />}>
          Either “{clusterId}” has none or your roles do not let you see them.
        </EmptyState>
      }
    />
  )
}
