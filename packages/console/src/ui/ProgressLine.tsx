import { cx } from './cx.ts'
import styles from './ProgressLine.module.css'

/** Progress: a share between 0 and 1, or, without one, a line that runs until the wait is over. `thin` is the 2 px line on a table's top edge. */
export function ProgressLine({ label, value, thin }: { label: string; value?: number | undefined; thin?: boolean }) {
  const percent = value === undefined ? undefined : Math.round(Math.min(1, Math.max(0, value)) * 100)
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      {...(percent !== undefined && { 'aria-valuenow': percent })}
      className={cx(styles['line'], thin && styles['thin'])}
    >
      <i className={cx(percent === undefined && styles['running'])} {...(percent !== undefined && { style: { width: `${percent}%` } })} />
    </div>
  )
}
