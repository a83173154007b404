import type { ReactNode } from 'react'
import styles from './StatusGlyph.module.css'

export type Status = 'ok' | 'off' | 'warn' | 'danger' | 'info'

const shapes: Record<Status, ReactNode> = {
  ok: <rect x="1" y="1" width="8" height="8" rx="1.5" fill="currentColor" />,
  off: <rect x="1.75" y="1.75" width="6.5" height="6.5" rx="1" fill="none" stroke="currentColor" strokeWidth="1.5" />,
  warn: <path d="M5 .8 9.6 9H.4z" fill="currentColor" />,
  danger: <path d="M5 0l5 5-5 5-5-5z" fill="currentColor" />,
  info: <circle cx="5" cy="5" r="3" fill="currentColor" />,
}

/** A status as a shape first, a colour second. Give `label` unless the word stands beside it. */
export function StatusGlyph({ status, label }: { status: Status; label?: string }) {
  return (
    <svg
      className={`${styles['glyph']} ${styles[status]}`}
      viewBox="0 0 10 10"
      {...(label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': true })}
    >
      {label && <title>{label}</title>}
      {shapes[status]}
    </svg>
  )
}
