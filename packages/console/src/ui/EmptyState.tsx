import type { ReactNode } from 'react'
import styles from './EmptyState.module.css'

const door = { left: 192, right: 232, top: 48 }

// Courses of bricks 40 by 24, every second one shifted by half a brick; those in the doorway are cut short.
const bricks = [0, 1, 2, 3, 4].flatMap((course) => {
  const [top, shift] = [course * 24, course % 2 === 0 ? 0 : -20]
  return Array.from({ length: 9 }, (_, index) => shift + index * 40).flatMap((left) => {
    const right = left + 40
    if (top < door.top || right <= door.left || left >= door.right) return [`M${left} ${top}h40v24h-40z`]
    const parts: string[] = []
    if (left < door.left) parts.push(`M${left} ${top}h${door.left - left}v24h${left - door.left}z`)
    if (right > door.right) parts.push(`M${door.right} ${top}h${right - door.right}v24h${door.right - right}z`)
    return parts
  })
})

/** The one illustration: a wall with its door ajar. */
export function WallWithDoor() {
  return (
    <svg className={styles['wall']} viewBox="0 0 320 130" aria-hidden="true">
      <path d={bricks.join('')} />
      <path className={styles['door']} d="M192 48h40v72h-40z" />
      <path d="M0 120.5h178M192 120.5h128" />
      <path className={styles['leaf']} d="M192 48l-14 6v72l14-6z" />
    </svg>
  )
}

export type EmptyStateProps = {
  title: string
  children?: ReactNode
  actions?: ReactNode
  /** The wall is for lists that have nothing yet; a filter without matches needs none. */
  plain?: boolean
}

/** One line of why, one line of what next, at most one button that matters. */
export function EmptyState({ title, children, actions, plain }: EmptyStateProps) {
  return (
    <div className={styles['empty']}>
      <div>
        {!plain && <WallWithDoor />}
        <h2>{title}</h2>
        {children && <div className="t2">{children}</div>}
        {actions && <div className={styles['actions']}>{actions}</div>}
      </div>
    </div>
  )
}
