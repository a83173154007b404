import type { ComponentPropsWithRef } from 'react'
import { cx } from './cx.ts'
import type { Label } from './label-order.ts'
import styles from './LabelPill.module.css'

export type LabelPillProps = Omit<ComponentPropsWithRef<'button'>, 'children'> & {
  label: Label
  /** Already part of the filter: loses its box, because it is the same in every row. */
  on?: boolean
}

/** A label. With `onClick` it is a button that filters by it. */
export function LabelPill({ label, on, className, onClick, ...rest }: LabelPillProps) {
  const classes = cx(styles['pill'], on && styles['on'], className)
  const content = (
    <>
      <span className={styles['key']}>{label.name}:</span>
      <span className={styles['value']}>{label.value}</span>
    </>
  )
  const title = `${label.name}: ${label.value}`
  if (!onClick)
    return (
      <span className={classes} title={title}>
        {content}
      </span>
    )
  return (
    <button
      {...rest}
      type="button"
      className={classes}
      title={title}
      aria-label={`${on ? 'Stop filtering' : 'Filter'} by ${title}`}
      aria-pressed={on ?? false}
      onClick={onClick}
    >
      {content}
    </button>
  )
}

/** A short machine value in the same clothes as a label. */
export function ValuePill({ children }: { children: string }) {
  return (
    <span className={cx(styles['pill'], styles['plain'])} title={children}>
      <span>{children}</span>
    </span>
  )
}
