import { Copy, Ellipsis, GitCompare, Pencil, Trash2 } from 'lucide-react'
import type { Access } from '@sallyport/wire/acl.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu } from '../../ui/Menu.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { rowMenu, rowPrimary } from '../../ui/use-list-keys.ts'
import type { Column } from '../../ui/use-list-table.ts'
import { Skeleton } from '../../ui/Skeleton.tsx'
import type { RoleRow } from './use-roles.ts'
import styles from './Roles.module.css'

export interface RoleActions {
  may: Access
  open: (name: string) => void
  duplicate: (name: string) => void
  compare: (name: string) => void
  remove: (row: RoleRow) => void
}

export const roleColumns = (actions: RoleActions): Column<RoleRow>[] => [
  {
    id: 'name',
    header: 'Name',
    width: '34%',
    sort: ({ role }) => role.name,
    phone: 'title',
    cell: ({ role, preset }) => (
      <span className="row">
        <span className="trunc" title={role.name}>
          {role.name}
        </span>
        {preset !== undefined && <Badge tone="outline">preset</Badge>}
      </span>
    ),
  },
  {
    id: 'summary',
    header: 'Grants',
    width: '30%',
    cell: ({ summary }) =>
      summary === undefined ? (
        <Skeleton width="70%" />
      ) : (
        <span className={`t2 trunc ${styles['summary']}`} title={summary}>
          {summary}
        </span>
      ),
  },
  {
    id: 'description',
    header: 'Description',
    phone: 'hide',
    cell: ({ description }) => (
      <span className="muted trunc" title={description}>
        {description}
      </span>
    ),
  },
  {
    id: 'actions',
    header: 'Actions',
    width: '128px',
    kind: 'actions',
    phone: 'corner',
    skeleton: '72px',
    cell: (row) => <RowActions row={row} {...actions} />,
  },
]

function RowActions({ row, may, open, duplicate, compare, remove }: RoleActions & { row: RoleRow }) {
  const { name } = row.role
  const verb = may.edit && may.create ? 'Edit' : 'View'
  const entries: MenuEntry[] = [
    ...(may.read ? [{ label: `${verb}…`, icon: Pencil, run: () => open(name) }] : []),
    ...(may.create && may.edit ? [{ label: 'Duplicate…', icon: Copy, run: () => duplicate(name) }] : []),
    ...(may.read ? [{ label: 'Compare…', icon: GitCompare, run: () => compare(name) }] : []),
    ...(may.remove
      ? [
          { separator: true as const },
          {
            label: 'Delete…',
            icon: Trash2,
            danger: true,
            whyNot: row.preset !== undefined ? 'Every cluster keeps its presets' : undefined,
            run: () => remove(row),
          },
        ]
      : []),
  ]
  if (entries.length === 0) return null
  return (
    <span className="row gap1" style={{ justifyContent: 'flex-end' }}>
      {may.read && (
        <Button {...rowPrimary} size={24} aria-label={`${verb} role ${name}`} onClick={() => open(name)}>
          {verb}
        </Button>
      )}
      <Menu trigger={<IconButton {...rowMenu} size={24} icon={Ellipsis} label={`More for ${name}`} />} entries={entries} />
    </span>
  )
}
