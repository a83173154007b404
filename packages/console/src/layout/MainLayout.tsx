import { Suspense, useState } from 'react'
import type { ReactNode } from 'react'
import { isInvitationDue } from '../api/resource-check.ts'
import { useAccessChanges } from '../parts/access/use-access-end.ts'
import { lazyScreen } from '../parts/lazy-screen.tsx'
import { useUserContext } from '../parts/user-context.tsx'
import { useCutText } from '../ui/cut-text.ts'
import { cx } from '../ui/cx.ts'
import { lazyPiece } from '../ui/lazy-piece.ts'
import { useLayersSoon } from '../ui/use-layers-soon.ts'
import { media, useMedia } from '../ui/use-media.ts'
import { useWanted } from '../ui/use-wanted.ts'
import { ClusterAlerts } from './ClusterAlerts.tsx'
import { railSetting } from './rail-setting.ts'
import { ShortcutSheet } from './ShortcutSheet.tsx'
import { SideNav } from './SideNav.tsx'
import { TopBar } from './TopBar.tsx'
import styles from './MainLayout.module.css'

const NavDrawer = lazyPiece(() => import('./NavDrawer.tsx').then((loaded) => loaded.NavDrawer))
const AssumedBar = lazyScreen(async () => (await import('./AssumedBar.tsx')).AssumedBar)
const Invitation = lazyScreen(async () => (await import('./Invitation.tsx')).Invitation)

/** The frame of every screen that is not a full page: navigation at the left, the bar above, the screen between. */
export function MainLayout({ children }: { children: ReactNode }) {
  const { assumed } = useUserContext()
  useAccessChanges()
  useLayersSoon()
  useCutText()
  const phone = useMedia(media.phone)
  const wide = useMedia(media.wide)
  const [chosen, setChosen] = useState(railSetting.read)
  const [drawer, setDrawer] = useState(false)
  const drawerWanted = useWanted(drawer)
  const [invites] = useState(isInvitationDue)
  const rail = chosen ?? !wide
  const collapse = (next: boolean): void => {
    railSetting.write(next)
    setChosen(next)
  }
  return (
    <div className={cx(styles['app'], rail && styles['rail'])}>
      <a className={styles['skip']} href="#content">
        Skip to content
      </a>
      {!phone && <SideNav rail={rail} onRail={collapse} />}
      {phone && drawerWanted && (
        <Suspense fallback={null}>
          <NavDrawer open={drawer} onClose={() => setDrawer(false)} />
        </Suspense>
      )}
      <div className={styles['rest']}>
        <TopBar {...(phone && { onMenu: () => setDrawer(true) })} />
        <ClusterAlerts />
        {assumed.length > 0 && (
          <Suspense>
            <AssumedBar />
          </Suspense>
        )}
        <main id="content" tabIndex={-1} className={styles['page']}>
          {children}
        </main>
      </div>
      <ShortcutSheet />
      {invites && (
        <Suspense>
          <Invitation />
        </Suspense>
      )}
    </div>
  )
}
