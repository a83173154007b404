import { Suspense, useState } from 'react'
import { config } from '../api/page.ts'
import { permittedItems } from '../parts/nav-items.ts'
import { pushPath } from '../parts/navigation.ts'
import { useShortcuts } from '../parts/shortcuts.ts'
import { useUserContext } from '../parts/user-context.tsx'
import { lazyPiece } from '../ui/lazy-piece.ts'
import { useWanted } from '../ui/use-wanted.ts'
import { useStickyCluster } from './sticky-cluster.ts'

const ShortcutList = lazyPiece(() => import('./ShortcutList.tsx').then((loaded) => loaded.ShortcutList))

/** The global keys (`g` and a letter, `?`), and the sheet that lists them. */
export function ShortcutSheet() {
  const { acl } = useUserContext()
  const clusterId = useStickyCluster()
  const [open, setOpen] = useState(false)
  const items = permittedItems(acl, config).filter((item) => item.key !== undefined)

  useShortcuts(
    items,
    (item) => pushPath(item.address(clusterId)),
    () => setOpen(true),
  )
  const wanted = useWanted(open)
  return wanted ? (
    <Suspense fallback={null}>
      <ShortcutList items={items} open={open} onClose={() => setOpen(false)} />
    </Suspense>
  ) : null
}
