import { Menu as MenuIcon } from 'lucide-react'
import type { RouteName } from '@sallyport/wire/routes.ts'
import { Suspense, type ComponentType } from 'react'
import { config } from '../api/page.ts'
import { lazyScreen } from '../parts/lazy-screen.tsx'
import { topNavItems } from '../parts/nav-items.ts'
import { useUserContext } from '../parts/user-context.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { ClusterSelector } from './ClusterSelector.tsx'
import styles from './TopBar.module.css'
import { UserMenu } from './UserMenu.tsx'

/** By the route that each stands for. */
const entries: Partial<Record<RouteName, ComponentType>> = {
  assist: lazyScreen(async () => (await import('./AssistEntry.tsx')).AssistEntry),
}

/** The bar above every screen: which cluster is looked at, and who looks. */
export function TopBar({ onMenu }: { onMenu?: () => void }) {
  const { acl } = useUserContext()
  return (
    <header className={styles['top']}>
      {onMenu && <IconButton icon={MenuIcon} label="Menu" onClick={onMenu} />}
      <ClusterSelector />
      <span className="grow" />
      {topNavItems(acl, config).map(({ name }) => {
        const Entry = entries[name]
        return (
          Entry && (
            <Suspense key={name}>
              <Entry />
            </Suspense>
          )
        )
      })}
      <UserMenu />
    </header>
  )
}
