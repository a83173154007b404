import { Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { Icon } from '../../ui/Icon.tsx'
import type { IconType } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import styles from './DocumentEditor.module.css'

/** A titled box of the form, which may be taken out as a whole. */
export function FormSection({
  title,
  icon,
  note,
  onRemove,
  children,
}: {
  title: string
  icon?: IconType
  note?: ReactNode
  onRemove?: (() => void) | undefined
  children: ReactNode
}) {
  return (
    <section className={styles['section']} aria-label={title}>
      <header>
        {icon && <Icon of={icon} />}
        <h3 className="grow">{title}</h3>
        {note && <span className="muted sm">{note}</span>}
        {onRemove && <IconButton icon={Trash2} label={`Remove ${title}`} size={24} onClick={onRemove} />}
      </header>
      {children}
    </section>
  )
}
