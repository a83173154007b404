import { useEffect, useState } from 'react'
import { cx } from './cx.ts'
import styles from './Spinner.module.css'

/** How long to wait before showing a spinner (ms): none for buttons, short in dialogs, long for pages. */
export const spinnerDelay = { none: 0, short: 400, long: 600 } as const

export type SpinnerProps = {
  /** What is being waited for; read out, and shown when `showLabel` is set. */
  label?: string
  delay?: keyof typeof spinnerDelay
  size?: 14 | 24
  showLabel?: boolean
  className?: string
}

/** The turning ring. With a delay, quick answers never flash one. */
export function Spinner({ label = 'Loading', delay = 'none', size = 14, showLabel, className }: SpinnerProps) {
  const due = useDelay(spinnerDelay[delay])
  if (!due) return null
  return (
    <span className={cx(styles['wrap'], className)} role="status">
      <span className={cx(styles['ring'], size === 24 && styles['large'])} aria-hidden="true" />
      <span className={showLabel ? 'muted sm' : 'sr'}>{label}</span>
    </span>
  )
}

/** True once `ms` have passed since the component appeared; at once for 0. */
export function useDelay(ms: number): boolean {
  const [due, setDue] = useState(ms === 0)
  useEffect(() => {
    if (ms === 0) return
    const timer = setTimeout(() => setDue(true), ms)
    return () => clearTimeout(timer)
  }, [ms])
  return due
}
