import type { ReactNode } from 'react'
import styles from './PageHead.module.css'

/** Title row of a screen: the one h1 (focused after navigation), its count, actions at the right. */
export function PageHead({ title, count, children }: { title: string; count?: number | undefined; children?: ReactNode }) {
  return (
    <div className={styles['head']}>
      <h1 tabIndex={-1}>{title}</h1>
      {count !== undefined && <span className={styles['count']}>{count.toLocaleString('en')}</span>}
      <span className="grow" />
      <div className={styles['actions']}>{children}</div>
    </div>
  )
}

/** The row of controls under the title. */
export function Toolbar({ children }: { children: ReactNode }) {
  return <div className={styles['tools']}>{children}</div>
}
