import { Ellipsis, Network, Pause, Pencil, Play, Trash2 } from 'lucide-react'
import type { Access } from '@sallyport/wire/acl.ts'
import { wireDate } from '@sallyport/wire/entities/wire-date.ts'
import { useAction } from '../../parts/use-action.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { relativeWords } from '../../ui/dates.ts'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu } from '../../ui/Menu.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { StatusGlyph } from '../../ui/StatusGlyph.tsx'
import { useNow } from '../../ui/use-now.ts'
import type { TrustedRoot } from './use-trust.ts'
import styles from './Trust.module.css'

export interface RootTileProps {
  root: TrustedRoot
  may: Access
  open: () => void
  disable: () => void
  enable: () => Promise<void>
  remove: () => void
}

const words = {
  connected: { glyph: 'ok', text: 'Connected' },
  connecting: { glyph: 'warn', text: 'Not connected' },
  disabled: { glyph: 'off', text: 'Disabled' },
} as const
const isKnown = (status: string): status is keyof typeof words => status in words

/** One root: whether it is connected, where it is, and what its users are here. */
export function RootTile({ root: { item, state }, may, open, disable, enable, remove }: RootTileProps) {
  const now = useNow()
  const enabling = useAction(enable)
  const mayEdit = may.edit && may.create
  const seen = wireDate(state?.lastConnected ?? '')
  const { glyph, text } = words[state && isKnown(state.status) ? state.status : 'connecting']
  const isDisabled = state?.status === 'disabled'
  const entries: MenuEntry[] = [
    { label: mayEdit ? 'Edit…' : 'View…', icon: Pencil, run: open },
    ...(mayEdit && state
      ? [isDisabled ? { label: 'Enable', icon: Play, run: () => enabling.start() } : { label: 'Disable…', icon: Pause, run: disable }]
      : []),
    ...(may.remove ? [{ separator: true as const }, { label: 'Delete…', icon: Trash2, danger: true, run: remove }] : []),
  ]
  return (
    <li className={styles['tile']}>
      <div className={styles['head']}>
        <Icon of={Network} size={20} />
        <div className={styles['name']}>
          <button type="button" className={styles['open']} onClick={open}>
            {item.name}
          </button>
          <span className="muted sm trunc">{state?.address}</span>
        </div>
        <Badge>root</Badge>
        <Menu trigger={<IconButton icon={Ellipsis} size={24} label={`More for ${item.name}`} />} entries={entries} />
      </div>
      {state && (
        <dl className={styles['facts']}>
          <dt>Status</dt>
          <dd className="row gap1">
            <StatusGlyph status={glyph} />
            <span>{text}</span>
            {state.status !== 'connected' && (
              <span className="muted">{seen && seen.getTime() > 0 ? `last contact ${relativeWords(seen, now)}` : 'never connected'}</span>
            )}
          </dd>
          <dt>Roles</dt>
          <dd>
            <ul className={styles['roles']}>
              {state.roleMap.map(({ remote, local }) => (
                <li key={remote}>
                  <code>{remote}</code> <span aria-hidden="true">→</span> <span className="sr">becomes</span>{' '}
                  <code>{local.join(', ')}</code>
                </li>
              ))}
            </ul>
          </dd>
        </dl>
      )}
      {state?.error && (
        <Alert kind="warn" live={false} title="There is no connection.">
          {state.error}
        </Alert>
      )}
      {enabling.error && (
        <Alert kind="danger" title="Could not enable it.">
          {enabling.error.message}
        </Alert>
      )}
    </li>
  )
}
