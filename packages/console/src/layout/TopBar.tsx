import { Menu as MenuIcon } from 'lucide-react'
import { IconButton } from '../ui/IconButton.tsx'
import { ClusterSelector } from './ClusterSelector.tsx'
import styles from './TopBar.module.css'
import { UserMenu } from './UserMenu.tsx'

/** The bar above every screen: which cluster is looked at, and who looks. */
export function TopBar({ onMenu }: { onMenu?: () => void }) {
  return (
    <header className={styles['top']}>
      {onMenu && <IconButton icon={MenuIcon} label="Menu" onClick={onMenu} />}
      <ClusterSelector />
      <span className="grow" />
      <UserMenu />
    </header>
  )
}
