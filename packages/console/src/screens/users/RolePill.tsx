import { cx } from '../../ui/cx.ts'
import styles from './Users.module.css'

/** A role that filters the list when pressed, and stops when pressed again. */
export function RolePill({ name, on, onClick }: { name: string; on: boolean; onClick: () => void }) {
  return (
    <button
      type="button"
      className={cx(styles['role'], on && styles['roleOn'])}
      title={name}
      aria-label={`${on ? 'Stop filtering' : 'Filter'} by role ${name}`}
      aria-pressed={on}
      onClick={onClick}
    >
      {name}
    </button>
  )
}
