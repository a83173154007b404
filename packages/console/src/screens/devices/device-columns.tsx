import { Copy, Ellipsis, Laptop, Lock, Trash2 } from 'lucide-react'
import { osTitleOf } from '@sallyport/wire/entities/device.ts'
import type { Device } from '@sallyport/wire/entities/device.ts'
import { routePath } from '@sallyport/wire/routes.ts'
import { config } from '../../api/page.ts'
import { pushPath } from '../../parts/navigation.ts'
import { formatSearch } from '../../parts/search-string.ts'
import { Badge } from '../../ui/Badge.tsx'
import { formatDate, relativeWords, SHORT_DATE_FORMAT } from '../../ui/dates.ts'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu } from '../../ui/Menu.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { rowMenu } from '../../ui/use-list-keys.ts'
import type { Column } from '../../ui/use-list-table.ts'
import { useNow } from '../../ui/use-now.ts'
import { sourceWord, statusWord } from './use-devices.ts'

export interface DeviceActions {
  mayEnroll: boolean
  mayLock: boolean
  mayRemove: boolean
  enroll: (device: Device) => void
  remove: (device: Device) => void
}

export const deviceColumns = (actions: DeviceActions): Column<Device>[] => [
  {
    id: 'tag',
    header: 'Asset tag',
    width: '26%',
    sort: ({ assetTag }) => assetTag,
    phone: 'title',
    cell: ({ assetTag }) => (
      <span className="mono trunc" title={assetTag}>
        {assetTag}
      </span>
    ),
  },
  {
    id: 'os',
    header: 'OS',
    width: '120px',
    cell: ({ osType }) => (
      <span className="row">
        <Icon of={Laptop} />
        {osTitleOf(osType)}
      </span>
    ),
  },
  {
    id: 'status',
    header: 'Enroll status',
    width: '140px',
    sort: statusWord,
    cell: (device) => <Badge tone={device.isEnrolled ? 'ok' : 'neutral'}>{statusWord(device)}</Badge>,
  },
  {
    id: 'owner',
    header: 'Owner',
    cell: ({ owner }) => (owner === '' ? <span className="muted">No owner yet</span> : <span className="trunc">{owner}</span>),
  },
  { id: 'seen', header: 'Last seen', width: '150px', cell: (device) => <LastSeen device={device} /> },
  { id: 'source', header: 'Source', width: '100px', phone: 'hide', cell: (device) => <span className="muted">{sourceWord(device)}</span> },
  {
    id: 'actions',
    header: 'Actions',
    width: '72px',
    kind: 'actions',
    phone: 'corner',
    skeleton: '24px',
    cell: (device) => <RowActions device={device} {...actions} />,
  },
]

const dayMs = 24 * 3_600_000

function LastSeen({ device: { lastSeen } }: { device: Device }) {
  const now = useNow()
  if (!lastSeen) return <span className="muted">Never seen</span>
  const isRecent = now.getTime() - lastSeen.getTime() < dayMs
  return (
    <span title={formatDate(lastSeen, config.loc.dateTimeFormat)}>
      {isRecent ? relativeWords(lastSeen, now) : formatDate(lastSeen, SHORT_DATE_FORMAT)}
    </span>
  )
}

function RowActions({ device, mayEnroll, mayLock, mayRemove, enroll, remove }: DeviceActions & { device: Device }) {
  const lock = routePath('newLock', {}) + formatSearch({ kind: 'device', target: device.id })
  const entries: MenuEntry[] = [
    ...(mayEnroll ? [{ label: 'Copy enroll token…', icon: Copy, run: () => enroll(device) }] : []),
    ...(mayLock ? [{ label: 'Lock…', icon: Lock, run: () => pushPath(lock) }] : []),
    ...(mayRemove ? [{ separator: true as const }, { label: 'Remove…', icon: Trash2, danger: true, run: () => remove(device) }] : []),
  ]
  if (entries.length === 0) return null
  return <Menu trigger={<IconButton {...rowMenu} size={24} icon={Ellipsis} label={`More for ${device.assetTag}`} />} entries={entries} />
}
