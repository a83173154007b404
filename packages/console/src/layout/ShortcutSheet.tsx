import { useState } from 'react'
import { config } from '../api/page.ts'
import { permittedItems } from '../parts/nav-items.ts'
import { pushPath } from '../parts/navigation.ts'
import { useShortcuts } from '../parts/shortcuts.ts'
import { useUserContext } from '../parts/user-context.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Kbd } from '../ui/Kbd.tsx'
import styles from './ShortcutSheet.module.css'
import { useStickyCluster } from './sticky-cluster.ts'

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
  return (
    <Dialog open={open} onClose={() => setOpen(false)} title="Keyboard shortcuts" width={484}>
      <dl className={styles['sheet']}>
        {items.map((item) => (
          <Keys key={item.name} keys={['g', item.key ?? '']} does={item.title} />
        ))}
        <Keys keys={['/']} does="Focus the search of a list" />
        <Keys keys={['j', 'k']} does="Next or previous row" />
        <Keys keys={['Enter']} does="The row's main action" />
        <Keys keys={['?']} does="This sheet" />
        <Keys keys={['Esc']} does="Close what is on top" />
      </dl>
    </Dialog>
  )
}

function Keys({ keys, does }: { keys: readonly string[]; does: string }) {
  return (
    <div>
      <dt>
        {keys.map((key) => (
          <Kbd key={key}>{key}</Kbd>
        ))}
      </dt>
      <dd>{does}</dd>
    </div>
  )
}
