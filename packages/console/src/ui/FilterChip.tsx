import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from './cx.ts'
import { Icon } from './Icon.tsx'
import styles from './FilterChip.module.css'

export type FilterChipProps = { name?: string; value: string; not?: boolean; onRemove: () => void }

/** A clause of the filter in words, with a cross to take it out. */
export function FilterChip({ name, value, not, onRemove }: FilterChipProps) {
  const key = name ? `${not ? 'not ' : ''}${name}:` : undefined
  return (
    <span className={cx(styles['chip'], not && styles['not'])}>
      {key && <span className={styles['key']}>{key}</span>}
      <span className={styles['value']}>{value}</span>
      <button type="button" aria-label={`Remove filter ${key ? `${key} ` : ''}${value}`} onClick={onRemove}>
        <Icon of={X} size={14} />
      </button>
    </span>
  )
}

/** The row of chips between toolbar and table. */
export function FilterChips({ children, end }: { children: ReactNode; end?: ReactNode }) {
  return (
    <div className={styles['chips']}>
      {children}
      <span className="grow" />
      {end && <span className="muted sm">{end}</span>}
    </div>
  )
}
