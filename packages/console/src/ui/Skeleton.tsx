import styles from './Skeleton.module.css'

/** The place of something that is still loading. Width is any CSS length. */
export function Skeleton({ width = '100%' }: { width?: string }) {
  return <span className={styles['skeleton']} style={{ width }} aria-hidden="true" />
}
