import { Dialog } from '@base-ui/react/dialog'
import { NavContent } from './NavContent.tsx'
import styles from './NavDrawer.module.css'

/** The navigation on phones: it comes in over the page and goes when a screen was chosen. */
export function NavDrawer({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles['backdrop']} />
        <Dialog.Popup
          className={styles['drawer']}
          aria-label="Navigation"
          onClick={(event) => event.target instanceof Element && event.target.closest('a') && onClose()}
        >
          <nav aria-label="Main">
            <NavContent />
          </nav>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
