import {
  ClipboardCheck,
  ClipboardX,
  Ellipsis,
  FolderOpen,
  FolderSync,
  FolderX,
  Keyboard,
  Maximize,
  MonitorX,
  RotateCcw,
  ShieldAlert,
  Video,
  ZoomIn,
} from 'lucide-react'
import { Menu } from '../../ui/Menu.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Logo } from '../../ui/Logo.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { Tooltip } from '../../ui/Tooltip.tsx'
import styles from './desktop.module.css'

export type ClipboardState = 'on' | 'off' | 'blocked'
const clipboardTexts: Record<ClipboardState, string> = {
  on: 'Text that you copy can be pasted on both sides',
  off: 'Your roles do not share the clipboard with desktops',
  blocked: 'The browser does not let this page read the clipboard: allow it in the settings of the site',
}

export interface Sharing {
  /** Whether roles let it. */
  isAllowed: boolean
  shared: { name: string; isTaken: boolean } | undefined
  onShare: () => void
  onStop: () => void
}

function sharingText({ isAllowed, shared }: Sharing): string {
  if (!isAllowed) return 'Your roles do not share directories with desktops'
  if (!shared) return 'No directory is shared'
  return shared.isTaken ? `The desktop can read and change ${shared.name}; every use is audited` : `The desktop is offered ${shared.name}`
}

export interface DesktopBarProps {
  title: string
  homePath: string
  isOpen: boolean
  isRecorded: boolean
  clipboard: ClipboardState
  sharing: Sharing
  fitted: boolean
  onFit: () => void
  onKeys: (keys: 'ctrlAltDel' | 'windows' | 'altTab' | 'printScreen') => void
  onFullScreen: () => void
  onReconnect: () => void
  onDisconnect: () => void
}

/** The bar above a desktop. */
export function DesktopBar(props: DesktopBarProps) {
  const { title, homePath, isOpen, isRecorded, clipboard, sharing, fitted, onFit, onKeys, onFullScreen, onReconnect, onDisconnect } = props
  const { isAllowed, shared, onShare, onStop } = sharing
  const whyNoSharing = !isAllowed ? 'not allowed' : !isOpen ? 'not connected' : undefined
  const entries: MenuEntry[] = [
    shared
      ? { label: `Stop sharing ${shared.name}`, icon: FolderX, run: onStop }
      : { label: 'Share directory…', icon: FolderOpen, run: onShare, whyNot: whyNoSharing },
    { separator: true },
    { label: 'Send Ctrl+Alt+Del', icon: ShieldAlert, run: () => onKeys('ctrlAltDel'), ...(!isOpen && { whyNot: 'not connected' }) },
    { label: 'Send Windows key', icon: Keyboard, run: () => onKeys('windows'), ...(!isOpen && { whyNot: 'not connected' }) },
    { label: 'Send Alt+Tab', icon: Keyboard, run: () => onKeys('altTab'), ...(!isOpen && { whyNot: 'not connected' }) },
    { label: 'Send PrintScreen', icon: Keyboard, run: () => onKeys('printScreen'), ...(!isOpen && { whyNot: 'not connected' }) },
    { separator: true },
    { label: fitted ? 'Show actual size' : 'Fit to window', icon: ZoomIn, run: onFit },
    { label: 'Full screen', icon: Maximize, run: onFullScreen, end: 'Ctrl ⇧ F11' },
    { label: 'Reconnect at this size', icon: RotateCcw, run: onReconnect },
  ]
  return (
    <header className={styles['bar']}>
      <a className={styles['home']} href={homePath} aria-label="Main page" title="Main page">
        <Logo size={20} />
      </a>
      <h1 className="trunc" tabIndex={-1} title={title}>
        {title}
      </h1>
      <span className="grow" />
      {isRecorded && isOpen && (
        <span className={cx('hide-s', styles['badge'])}>
          <Badge tone="outline">
            <Icon of={Video} size={14} /> Recorded
          </Badge>
        </span>
      )}
      <Tooltip text={sharingText(sharing)}>
        <span className={styles[shared ? 'shared' : 'state']} role="img" tabIndex={0} aria-label={`Directory: ${sharingText(sharing)}`}>
          {shared ? (
            <Badge tone="outline">
              <Icon of={FolderSync} size={14} /> <span className="trunc">{shared.isTaken ? shared.name : `${shared.name}…`}</span>
            </Badge>
          ) : (
            <Icon of={isAllowed ? FolderOpen : FolderX} />
          )}
        </span>
      </Tooltip>
      <Tooltip text={clipboardTexts[clipboard]}>
        <span className={styles['state']} role="img" tabIndex={0} aria-label={`Clipboard: ${clipboardTexts[clipboard]}`}>
          <Icon of={clipboard === 'on' ? ClipboardCheck : ClipboardX} />
        </span>
      </Tooltip>
      <span className={cx('hide-s', styles['badge'])}>
        <Button size={24} disabled={!isOpen} onClick={() => onKeys('ctrlAltDel')}>
          Ctrl+Alt+Del
        </Button>
      </span>
      <IconButton size={24} icon={MonitorX} label="Disconnect" disabled={!isOpen} onClick={onDisconnect} />
      <Menu label="Menu" trigger={<IconButton icon={Ellipsis} size={24} label="Menu" />} entries={entries} />
    </header>
  )
}
