import { CircleCheck, Info, OctagonAlert, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from './cx.ts'
import { Icon } from './Icon.tsx'
import styles from './Alert.module.css'

const icons = { danger: OctagonAlert, warn: TriangleAlert, info: Info, ok: CircleCheck }

export type AlertProps = {
  kind: keyof typeof icons
  /** What happened. */
  title?: ReactNode
  /** What to do, or the server's own words. */
  children?: ReactNode
  /** A button at the end: Retry. */
  action?: ReactNode
  /** Announce it when it appears; leave out for alerts that are there from the start. */
  live?: boolean
}

/** News that belongs to this place. Small news is a toast instead. */
export function Alert({ kind, title, children, action, live = true }: AlertProps) {
  return (
    <div className={cx(styles['alert'], styles[kind])} {...(live && { role: kind === 'danger' || kind === 'warn' ? 'alert' : 'status' })}>
      <Icon of={icons[kind]} />
      <div className={styles['text']}>
        {title && <span className="strong">{title}</span>} {children && <span className={styles['body']}>{children}</span>}
      </div>
      {action}
    </div>
  )
}
