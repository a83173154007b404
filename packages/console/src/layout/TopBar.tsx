import { Menu as MenuIcon } from 'lucide-react'
import { Suspense } from 'react'
import { lazyScreen } from '../parts/lazy-screen.tsx'
import { useUserContext } from '../parts/user-context.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { ClusterSelector } from './ClusterSelector.tsx'
import styles from './TopBar.module.css'
import { UserMenu } from './UserMenu.tsx'

const AssistEntry = lazyScreen(async () => (await import('./AssistEntry.tsx')).AssistEntry)

/** The bar above every screen: which cluster is looked at, and who looks. */
export function TopBar({ onMenu }: { onMenu?: () => void }) {
  const { acl } = useUserContext()
  return (
    <header className={styles['top']}>
      {onMenu && <IconButton icon={MenuIcon} label="Menu" onClick={onMenu} />}
      <ClusterSelector />
      <span className="grow" />
      {acl.assist.list && (
        <Suspense>
          <AssistEntry />
        </Suspense>
      )}
      <UserMenu />
    </header>
  )
}
