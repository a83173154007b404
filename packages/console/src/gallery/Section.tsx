import type { ReactNode } from 'react'
import styles from './Gallery.module.css'

/** A chapter of the gallery: what it is at the left, its pieces at the right. */
export function Section({ title, note, children }: { title: string; note: string; children: ReactNode }) {
  return (
    <section className={styles['section']} aria-label={title}>
      <header>
        <h2>{title}</h2>
        <p className="muted sm">{note}</p>
      </header>
      <div className={styles['pieces']}>{children}</div>
    </section>
  )
}

/** A group of pieces under a small heading; `wide` takes the whole line. */
export function Group({ title, wide, children }: { title: string; wide?: boolean; children: ReactNode }) {
  return (
    <div className={wide ? styles['wide'] : styles['group']}>
      <h3 className={styles['caption']}>{title}</h3>
      <div className={styles['line']}>{children}</div>
    </div>
  )
}

/** A piece with the name of its state below. */
export function State({ name, children }: { name: string; children: ReactNode }) {
  return (
    <span className={styles['state']}>
      {children}
      <small>{name}</small>
    </span>
  )
}
