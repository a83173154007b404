import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { useRef } from 'react'
import type { ReactNode } from 'react'
import { IconButton } from './IconButton.tsx'
import styles from './EditorPanel.module.css'

export type EditorPanelProps = {
  onClose: () => void
  title: string
  /** Small words under the title: what state it is in. */
  note?: ReactNode
  /** Between title and actions: the choice of view. */
  middle?: ReactNode
  actions?: ReactNode
  /** A second row under the head, on phones. */
  below?: ReactNode
  children: ReactNode
}

/** The place of editors: from the right over the list, of which 64 px stay in sight; the whole window on phones. */
export function EditorPanel({ onClose, title, note, middle, actions, below, children }: EditorPanelProps) {
  const panel = useRef<HTMLDivElement>(null)
  return (
    <Base.Root open disablePointerDismissal onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={styles['backdrop']} />
        {/* At none of the buttons in its head, of which the first one saves. */}
        <Base.Popup ref={panel} className={styles['panel']} initialFocus={panel}>
          <header className={styles['head']}>
            <div className={styles['name']}>
              <Base.Title className={styles['title']} title={title}>
                {title}
              </Base.Title>
              {note && <div className={styles['note']}>{note}</div>}
            </div>
            {middle && <div className={styles['middle']}>{middle}</div>}
            <div className={styles['actions']}>
              {actions}
              <IconButton icon={X} label="Close" keys="Esc" onClick={onClose} />
            </div>
          </header>
          {below && <div className={styles['below']}>{below}</div>}
          <div className={styles['body']}>{children}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

/** A column of the panel with its own head; it scrolls by itself. */
export function EditorColumn({
  label,
  head,
  ground = 'sunken',
  flush,
  children,
}: {
  label: string
  head?: ReactNode
  ground?: 'sunken' | 'code'
  /** No inner space: the content fills the column. */
  flush?: boolean
  children: ReactNode
}) {
  return (
    <section className={`${styles['column']} ${ground === 'code' ? styles['code'] : ''}`} aria-label={label}>
      {head && <div className={styles['sub']}>{head}</div>}
      {flush ? children : <div className={styles['scroll']}>{children}</div>}
    </section>
  )
}
