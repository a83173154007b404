import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { useEffect, useRef, type ReactNode } from 'react'
import { IconButton } from './IconButton.tsx'
import { isTyping, layerOpen } from './use-list-keys.ts'
import { media, useMedia } from './use-media.ts'
import styles from './SidePanel.module.css'

export type SidePanelProps = {
  open: boolean
  onClose: () => void
  title: ReactNode
  /** Buttons in the head, before the cross. */
  actions?: ReactNode
  footer?: ReactNode
  /** Px; the whole width on phones. */
  width?: number
  children: ReactNode
}

const fields = 'input:not([type=hidden], [readonly], [type=radio]:not(:checked)), textarea, [role=combobox]'

/**
 * A panel from the right over a dimmed page: forms, and details where there is no room to dock. A sheet on phones. A form,
 * which has a footer, begins at its first field; nothing begins at the cross.
 */
export function SidePanel({ open, onClose, title, actions, footer, width = 500, children }: SidePanelProps) {
  const panel = useRef<HTMLDivElement>(null)
  const body = useRef<HTMLDivElement>(null)
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={styles['backdrop']} />
        <Base.Popup
          ref={panel}
          className={styles['panel']}
          style={{ width }}
          // Nobody who came with a finger wants the keyboard on the screen at once.
          initialFocus={(how) => (footer && how !== 'touch' && body.current?.querySelector<HTMLElement>(fields)) || panel.current}
        >
          <header className={styles['header']}>
            <Base.Title className={styles['title']}>{title}</Base.Title>
            {actions}
            <IconButton icon={X} label="Close" keys="Esc" onClick={onClose} />
          </header>
          <div ref={body} className={styles['body']}>
            {children}
          </div>
          {footer && <footer className={styles['footer']}>{footer}</footer>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

/** Details beside a list: docked, not modal, from 1200 px; below that a side panel. Place it as the second column of `inspectorGrid`. */
export function Inspector({ open, onClose, title, actions, width = 480, children }: Omit<SidePanelProps, 'footer'>) {
  const wide = useMedia(media.wide)
  if (!wide)
    return (
      <SidePanel open={open} onClose={onClose} title={title} actions={actions} width={width}>
        {children}
      </SidePanel>
    )
  if (!open) return null
  return (
    <Docked title={title} actions={actions} onClose={onClose}>
      {children}
    </Docked>
  )
}

function Docked({ onClose, title, actions, children }: Pick<SidePanelProps, 'onClose' | 'title' | 'actions' | 'children'>) {
  useEffect(() => {
    // It is no layer, so nothing else listens for it.
    const press = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && !event.defaultPrevented && !isTyping(event.target) && !layerOpen()) onClose()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [onClose])
  return (
    <aside className={styles['docked']} aria-label="Details">
      <header className={styles['header']}>
        <h2 className={styles['title']}>{title}</h2>
        {actions}
        <IconButton icon={X} label="Close details" keys="Esc" onClick={onClose} />
      </header>
      <div className={styles['body']}>{children}</div>
    </aside>
  )
}

/** The grid of a list with an inspector beside it. */
export function inspectorGrid(open: boolean): string {
  return (open ? styles['grid'] : styles['alone']) ?? ''
}
