import { Ellipsis, Fingerprint, Pencil, Star, Trash2 } from 'lucide-react'
import type { Access } from '@sallyport/wire/acl.ts'
import type { DefaultConnector } from '@sallyport/wire/entities/connector.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu } from '../../ui/Menu.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { StatusGlyph } from '../../ui/StatusGlyph.tsx'
import { rowMenu } from '../../ui/use-list-keys.ts'
import { kindWords } from './kinds.ts'
import type { Connector } from './use-connectors.ts'
import styles from './Connectors.module.css'

export interface ConnectorActions {
  may: Access
  open: (connector: Connector) => void
  setDefault: (connector: Connector) => void
  remove: (connector: Connector) => void
}

export function ConnectorTile({ connector, actions }: { connector: Connector; actions: ConnectorActions }) {
  const { kind, item, isDefault } = connector
  const { title, icon } = kindWords[kind]
  return (
    <li className={styles['tile']}>
      <Icon of={icon} size={20} />
      <div className={styles['name']}>
        {actions.may.read ? (
          <button type="button" className={styles['open']} onClick={() => actions.open(connector)}>
            {item.name}
          </button>
        ) : (
          <span className="strong trunc">{item.name}</span>
        )}
        <span className="muted sm">{title}</span>
      </div>
      {isDefault && <Badge tone="brand">default</Badge>}
      <span className={styles['menu']}>
        <ConnectorMenu connector={connector} actions={actions} />
      </span>
    </li>
  )
}

/** What may be done with a connector; nothing where nothing may. */
export function ConnectorMenu({ connector, actions }: { connector: Connector; actions: ConnectorActions }) {
  const { may } = actions
  const entries: MenuEntry[] = [
    ...(may.read ? [{ label: may.edit && may.create ? 'Edit or test…' : 'View…', icon: Pencil, run: () => actions.open(connector) }] : []),
    ...(may.edit && !connector.isDefault ? [{ label: 'Set as default', icon: Star, run: () => actions.setDefault(connector) }] : []),
    ...(may.remove
      ? [{ separator: true as const }, { label: 'Delete…', icon: Trash2, danger: true, run: () => actions.remove(connector) }]
      : []),
  ]
  if (entries.length === 0) return null
  return (
    <Menu trigger={<IconButton {...rowMenu} icon={Ellipsis} size={24} label={`More for ${connector.item.name}`} />} entries={entries} />
  )
}

/** Signing in with a password or passkey of this cluster. */
export function LocalTile({ fallback, may, onDefault }: { fallback: DefaultConnector; may: Access; onDefault: () => void }) {
  const { localAuthEnabled } = fallback
  const isDefault = fallback.type === 'local'
  return (
    <li className={styles['tile']}>
      <Icon of={Fingerprint} size={20} />
      <div className={styles['name']}>
        <span className="strong">Local sign-in</span>
        <span className="muted sm row gap1">
          <StatusGlyph status={localAuthEnabled ? 'ok' : 'off'} />
          {localAuthEnabled ? 'Password or passkey' : 'Turned off'}
        </span>
      </div>
      {isDefault && <Badge tone="brand">default</Badge>}
      {may.edit && !isDefault && localAuthEnabled && (
        <span className={styles['menu']}>
          <Menu
            trigger={<IconButton icon={Ellipsis} size={24} label="More for local sign-in" />}
            entries={[{ label: 'Set as default', icon: Star, run: onDefault }]}
          />
        </span>
      )}
    </li>
  )
}
