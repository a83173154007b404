import { Ellipsis, Fingerprint, Pencil, Star, Trash2 } from 'lucide-react'
import type { Access } from '@sallyport/wire/acl.ts'
import type { DefaultConnector } from '@sallyport/wire/entities/connector.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu } from '../../ui/Menu.tsx'
import type { MenuEntry } from '../../ui/Menu.tsx'
import { StatusGlyph } from '../../ui/StatusGlyph.tsx'
import { kindWords } from './kinds.ts'
import type { Connector } from './use-connectors.ts'
import styles from './Connectors.module.css'

export interface ConnectorTileProps {
  connector: Connector
  may: Access
  onOpen: () => void
  onDefault: () => void
  onDelete: () => void
}

export function ConnectorTile({ connector: { kind, item, isDefault }, may, onOpen, onDefault, onDelete }: ConnectorTileProps) {
  const { title, icon } = kindWords[kind]
  const entries: MenuEntry[] = [
    ...(may.read ? [{ label: may.edit && may.create ? 'Edit or test…' : 'View…', icon: Pencil, run: onOpen }] : []),
    ...(may.edit && !isDefault ? [{ label: 'Set as default', icon: Star, run: onDefault }] : []),
    ...(may.remove ? [{ separator: true as const }, { label: 'Delete…', icon: Trash2, danger: true, run: onDelete }] : []),
  ]
  return (
    <li className={styles['tile']}>
      <Icon of={icon} size={20} />
      <div className={styles['name']}>
        {may.read ? (
          <button type="button" className={styles['open']} onClick={onOpen}>
            {item.name}
          </button>
        ) : (
          <span className="strong trunc">{item.name}</span>
        )}
        <span className="muted sm">{title}</span>
      </div>
      {isDefault && <Badge tone="brand">default</Badge>}
      {entries.length > 0 && (
        <span className={styles['menu']}>
          <Menu trigger={<IconButton icon={Ellipsis} size={24} label={`More for ${item.name}`} />} entries={entries} />
        </span>
      )}
    </li>
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
