import type { NavItem } from '../parts/nav-items.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { Kbd } from '../ui/Kbd.tsx'
import styles from './ShortcutSheet.module.css'

/** The keys that hold everywhere, and those of the screens that the viewer may open. */
export function ShortcutList({ items, open, onClose }: { items: readonly NavItem[]; open: boolean; onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title="Keyboard shortcuts" width={484}>
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
