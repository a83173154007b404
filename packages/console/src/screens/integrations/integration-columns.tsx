import { Database, Ellipsis, Pencil, SlidersHorizontal, Trash2 } from 'lucide-react'
import type { UserAcl } from '@sallyport/wire/acl.ts'
import { awsOidc, pluginStatus, statusOf } from '@sallyport/wire/entities/integration.ts'
import type { IntegrationRow } from '@sallyport/wire/entities/integration.ts'
import { cx } from '../../ui/cx.ts'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu } from '../../ui/Menu.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { StatusGlyph } from '../../ui/StatusGlyph.tsx'
import { rowMenu } from '../../ui/use-list-keys.ts'
import type { Column } from '../../ui/use-list-table.ts'
import { iconOf, isPluginKind, wordOf } from './kinds.ts'
import styles from './Integrations.module.css'

export interface IntegrationActions {
  acl: Pick<UserAcl, 'integrations' | 'plugins'>
  showDatabases: (row: IntegrationRow) => void
  edit: (row: IntegrationRow) => void
  remove: (row: IntegrationRow) => void
}

export const integrationColumns = (actions: IntegrationActions): Column<IntegrationRow>[] => [
  {
    id: 'name',
    header: 'Integration',
    width: '24%',
    phone: 'title',
    sort: ({ name }) => name,
    cell: (row) => (
      <span className="row">
        <Icon of={iconOf(row)} />
        <span className="trunc" title={row.name}>
          {row.name}
        </span>
      </span>
    ),
  },
  { id: 'kind', header: 'Kind', width: '190px', sort: wordOf, cell: (row) => wordOf(row) },
  {
    id: 'details',
    header: 'Details',
    // What went wrong is read as a whole.
    cell: ({ resourceType, details, statusCode }) => (
      <span
        className={cx(
          statusCode > pluginStatus.running ? styles['whole'] : 'trunc',
          resourceType === 'integration' && 'mono',
          styles['details'],
        )}
        title={details}
      >
        {details || '–'}
      </span>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    width: '150px',
    sort: ({ statusCode }) => statusOf(statusCode).word,
    cell: ({ statusCode }) => {
      const { tone, word, description } = statusOf(statusCode)
      return (
        <span className="row gap1" title={description}>
          <StatusGlyph status={tone} />
          {word}
        </span>
      )
    },
  },
  {
    id: 'actions',
    header: 'Actions',
    width: '64px',
    kind: 'actions',
    phone: 'corner',
    skeleton: '24px',
    cell: (row) => <RowMenu row={row} {...actions} />,
  },
]

/** Nothing where nothing may be done. */
function RowMenu({ row, acl, showDatabases, edit, remove }: IntegrationActions & { row: IntegrationRow }) {
  const isPlugin = row.resourceType === 'plugin'
  const isAws = !isPlugin && row.kind === awsOidc
  const may = isPlugin ? acl.plugins : acl.integrations
  const entries: MenuEntry[] = [
    ...(isAws && may.use ? [{ label: 'Databases…', icon: Database, run: () => showDatabases(row) }] : []),
    ...(isAws && may.edit ? [{ label: 'Edit…', icon: Pencil, run: () => edit(row) }] : []),
    ...(isPlugin && may.read && may.edit && isPluginKind(row.kind)
      ? [{ label: 'Settings…', icon: SlidersHorizontal, run: () => edit(row) }]
      : []),
    ...(may.remove ? [{ separator: true as const }, { label: 'Delete…', icon: Trash2, danger: true, run: () => remove(row) }] : []),
  ]
  const [first] = entries
  if (!first) return null
  return (
    <Menu
      trigger={<IconButton {...rowMenu} icon={Ellipsis} size={24} label={`More for ${row.name}`} />}
      entries={'separator' in first ? entries.slice(1) : entries}
    />
  )
}
