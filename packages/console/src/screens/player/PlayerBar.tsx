import { Ellipsis, FileText, Film, House, Info, Link, ListTree, LogOut } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { Logo } from '../../ui/Logo.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import type { ExportFormat } from './recording-source.ts'
import styles from './player.module.css'

export interface PlayerBarProps {
  title: string
  homePath: string
  onSignOut: () => void
  /** What there is to do with an open recording. */
  actions?: { details: () => void; marks: () => void; copyLink: () => void; download: ((format: ExportFormat) => void) | undefined }
  children?: ReactNode
}

/** The bar above a recording; the same while there is none to play. */
export function PlayerBar({ title, homePath, onSignOut, actions, children }: PlayerBarProps) {
  const download = actions?.download
  const entries: MenuEntry[] = [
    ...(actions
      ? [
          { label: 'Details', icon: Info, run: actions.details },
          { label: 'Marks', icon: ListTree, run: actions.marks },
          { label: 'Copy link to this moment', icon: Link, run: actions.copyLink },
          ...(download
            ? [
                { label: 'Download as asciicast', icon: Film, run: () => download('cast') },
                { label: 'Download as text', icon: FileText, run: () => download('text') },
              ]
            : []),
          { separator: true } as const,
        ]
      : []),
    { label: 'Main page', icon: House, href: homePath },
    { label: 'Sign out', icon: LogOut, run: onSignOut },
  ]
  return (
    <header className={styles['bar']}>
      <a className={styles['home']} href={homePath} aria-label="Main page" title="Main page">
        <Logo size={20} />
      </a>
      <h1 className="trunc" tabIndex={-1}>
        {title}
      </h1>
      {children ?? <span className="grow" />}
      {actions && <span className="grow only-s" />}
      <Menu label="Menu" trigger={<IconButton icon={Ellipsis} size={24} label="Menu" />} entries={entries} />
    </header>
  )
}
