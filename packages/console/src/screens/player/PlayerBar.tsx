import { Ellipsis, House, Info, LogOut } from 'lucide-react'
import type { ReactNode } from 'react'
import { LazyMenu } from '../../parts/LazyMenu.tsx'
import { Logo } from '../../ui/Logo.tsx'
import type { MenuEntry } from '../../ui/Menu.tsx'
import styles from './player.module.css'

export interface PlayerBarProps {
  title: string
  homePath: string
  onSignOut: () => void
  onDetails?: () => void
  children?: ReactNode
}

/** The bar above a recording; the same while there is none to play. */
export function PlayerBar({ title, homePath, onSignOut, onDetails, children }: PlayerBarProps) {
  const entries: MenuEntry[] = [
    ...(onDetails ? [{ label: 'Details', icon: Info, run: onDetails }, { separator: true } as const] : []),
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
      {onDetails && <span className="grow only-s" />}
      <LazyMenu icon={Ellipsis} size={24} label="Menu" entries={entries} />
    </header>
  )
}
