import type { ReactNode } from 'react'
import { cx } from './cx.ts'
import styles from './Badge.module.css'

export type BadgeTone = 'neutral' | 'outline' | 'brand' | 'ok' | 'info' | 'warn' | 'danger'

/** One or two words about the thing beside it. */
export function Badge({ tone = 'neutral', children }: { tone?: BadgeTone; children: ReactNode }) {
  return <span className={cx(styles['badge'], styles[tone])}>{children}</span>
}
