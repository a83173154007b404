import { desktops as desktopsCall } from '@sallyport/wire/calls/desktops.ts'
import { toDesktop } from '@sallyport/wire/entities/desktop.ts'
import type { Desktop, DesktopWire } from '@sallyport/wire/entities/desktop.ts'
import { EnrollButton } from '../../parts/EnrollButton.tsx'
import { NoResources } from '../../parts/list/NoResources.tsx'
import { ResourceList } from '../../parts/list/ResourceList.tsx'
import type { ResourceKindList } from '../../parts/list/ResourceList.tsx'
import { desktopColumns } from './columns.tsx'

const desktops: ResourceKindList<DesktopWire, Desktop> = {
  call: desktopsCall,
  title: 'Desktops',
  one: 'desktop',
  many: 'desktops',
  rule: 'windows_desktop: list',
  searched: 'name, address or labels',
  order: { fields: ['name', 'addr'] },
  columns: desktopColumns,
  hints: [
    ['j k', 'move'],
    ['↵', 'connect'],
    ['m', 'menu'],
  ],
  toItem: toDesktop,
  keyOf: ({ name }) => name,
  labelsOf: ({ labels }) => labels,
}

/** The desktops of a cluster that the viewer may see. */
export function Desktops() {
  return (
    <ResourceList
      kind={desktops}
      actions={<EnrollButton kind="desktop" label="Enroll desktop" />}
      nothing={
        <NoResources kind="desktop" request="windows_desktop" one="desktop" many="desktops">
          Open Windows desktops in the browser, no client needed.
        </NoResources>
      }
    />
  )
}
