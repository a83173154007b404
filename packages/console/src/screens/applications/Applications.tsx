import { apps } from '@sallyport/wire/calls/apps.ts'
import { toApp } from '@sallyport/wire/entities/app.ts'
import type { App, AppWire } from '@sallyport/wire/entities/app.ts'
import { EnrollButton } from '../../parts/EnrollButton.tsx'
import { NoResources } from '../../parts/list/NoResources.tsx'
import { ResourceList } from '../../parts/list/ResourceList.tsx'
import type { ResourceKindList } from '../../parts/list/ResourceList.tsx'
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
  return (
    <ResourceList
      kind={applications}
      actions={<EnrollButton kind="application" label="Enroll application" />}
      nothing={
        <NoResources kind="application" request="app" one="application" many="applications">
          Put internal web apps and TCP services behind one sign-in.
        </NoResources>
      }
    />
  )
}
