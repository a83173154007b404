import type { ReactNode } from 'react'
import { Card, Panel } from '../../ui/Card.tsx'
import styles from './Fallback.module.css'

export interface FallbackProps {
  title: string
  children?: ReactNode
  actions?: ReactNode
  footer?: ReactNode
  /** Inside the content area, with the navigation around it; else alone on the page. */
  inPage?: boolean
}

/** A screen that stands in for the one that was asked for. */
export function Fallback({ title, children, actions, footer, inPage }: FallbackProps) {
  if (!inPage)
    return (
      <Card title={title} actions={actions} footer={footer}>
        {children}
      </Card>
    )
  return (
    <Panel className={styles['panel'] ?? ''}>
      <div className={styles['body']}>
        <h1 tabIndex={-1}>{title}</h1>
        {children}
        {actions && <div className={styles['actions']}>{actions}</div>}
      </div>
      {footer && <footer className={styles['footer']}>{footer}</footer>}
    </Panel>
  )
}
