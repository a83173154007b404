import type { ReactElement } from 'react'
import styles from './SplitButton.module.css'

/** Two joined buttons: the usual action, and the choice beside it (a menu's trigger, `square`, with a chevron). */
export function SplitButton({ main, choice }: { main: ReactElement; choice: ReactElement }) {
  return (
    <span className={styles['split']} role="group">
      {main}
      {choice}
    </span>
  )
}
