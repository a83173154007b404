import type { CSSProperties, ReactNode } from 'react'
import { cx } from './cx.ts'
import styles from './FactList.module.css'

export interface FactListProps {
  /** Width of the names in pixels. */
  names?: 72 | 88 | 112 | 120 | 200
  /** Lines between the facts; on phones their names stand above their values. */
  ruled?: boolean
  className?: string | undefined
  children: ReactNode
}

/** What is known of one thing: names, and their values beside them. */
export function FactList({ names = 112, ruled, className, children }: FactListProps) {
  return (
    <dl className={cx(styles['facts'], ruled && styles['ruled'], className)} style={{ '--fact-name': `${names}px` } as CSSProperties}>
      {children}
    </dl>
  )
}

export function Fact({ name, className, children }: { name: ReactNode; className?: string | undefined; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className={className}>{children}</dd>
    </div>
  )
}
