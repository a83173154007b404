import { useId } from 'react'
import { cx } from './cx.ts'
import { Icon, type IconType } from './Icon.tsx'
import styles from './Segmented.module.css'

export type Segment<T extends string> = { value: T; label: string; icon?: IconType; disabled?: boolean }
export type SegmentedProps<T extends string> = {
  /** What is chosen; read out, not shown. */
  label: string
  segments: readonly Segment<T>[]
  value: T
  onValue: (value: T) => void
  size?: 24 | 32
  fill?: boolean
  className?: string
}

/** Two to five exclusive views or modes, side by side. Native radios: arrows move, one tab stop. */
export function Segmented<T extends string>({ label, segments, value, onValue, size = 32, fill, className }: SegmentedProps<T>) {
  const name = useId()
  return (
    <div
      role="radiogroup"
      aria-label={label}
      className={cx(styles['seg'], size === 24 && styles['small'], fill && styles['fill'], className)}
    >
      {segments.map((segment) => (
        <label key={segment.value} className={cx(segment.value === value && styles['on'])}>
          <input
            type="radio"
            name={name}
            checked={segment.value === value}
            disabled={segment.disabled}
            onChange={() => onValue(segment.value)}
          />
          {segment.icon && <Icon of={segment.icon} />}
          {segment.label}
        </label>
      ))}
    </div>
  )
}
