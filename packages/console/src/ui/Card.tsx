import type { ReactNode } from 'react'
import { cx } from './cx.ts'
import { Logo, LogoPlan } from './Logo.tsx'
import styles from './Card.module.css'

/** A panel: one step lighter than what it lies on, joined by hairlines. */
export function Panel({ header, children, className }: { header?: ReactNode; children: ReactNode; className?: string }) {
  return (
    <section className={cx(styles['panel'], className)}>
      {header && <header>{header}</header>}
      {children}
    </section>
  )
}

export type CardProps = {
  title: ReactNode
  children?: ReactNode
  actions?: ReactNode
  footer?: ReactNode
  /** Inside the content area, with the navigation around it; else alone on the wall. */
  inPage?: boolean | undefined
}

/** The 540 px card of outcome, error and welcome pages. */
export function Card({ title, children, actions, footer, inPage }: CardProps) {
  const content = (
    <>
      <div className={styles['body']}>
        <h1 tabIndex={-1}>{title}</h1>
        {children}
        {actions && <div className={styles['actions']}>{actions}</div>}
      </div>
      {footer && <footer>{footer}</footer>}
    </>
  )
  if (inPage) return <Panel className={cx(styles['card'], styles['inPage'])}>{content}</Panel>
  return (
    <div className={styles['center']}>
      <main className={cx(styles['panel'], styles['card'])}>
        <div className={styles['brand']}>
          <Logo word />
        </div>
        {content}
      </main>
    </div>
  )
}

export type EntryCardProps = { title: ReactNode; lead?: ReactNode; children: ReactNode; footer?: ReactNode }

/** The 464 px card of signing in, inviting and resetting, with the large mark behind it. */
export function EntryCard({ title, lead, children, footer }: EntryCardProps) {
  return (
    <div className={cx(styles['center'], styles['entry'])}>
      <LogoPlan />
      <main className={styles['login']}>
        <div className={styles['head']}>
          <Logo size={28} word />
        </div>
        <div className={cx(styles['panel'], styles['box'])}>
          <h1 tabIndex={-1}>{title}</h1>
          {lead && <p className="t2">{lead}</p>}
          <div className={styles['content']}>{children}</div>
        </div>
        {footer && <footer className={styles['foot']}>{footer}</footer>}
      </main>
    </div>
  )
}

/** "Other ways to sign in": a word in the middle of a line. */
export function OrLine({ children }: { children: ReactNode }) {
  return (
    <div className={styles['or']}>
      <span>{children}</span>
    </div>
  )
}
