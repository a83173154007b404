import { cx } from './cx.ts'
import styles from './Logo.module.css'

/** The mark: wall in ink, keep in purple, the passage empty. With `word`, the name at its right. */
export function Logo({ size = 24, word }: { size?: 16 | 20 | 24 | 28 | 40; word?: boolean }) {
  return (
    <span className={styles['logo']}>
      <svg
        width={size}
        height={size}
        viewBox="0 0 24 24"
        {...(word ? { 'aria-hidden': true } : { role: 'img', 'aria-label': 'Sallyport' })}
      >
        <path className={styles['wall']} d="M2 2h20v5H12v5H7v10H2z" />
        <path className={styles['keep']} d="M22 10v12H10v-7h5v-5z" />
      </svg>
      {word && <span className={cx(styles['word'], size >= 28 && styles['big'])}>Sallyport</span>}
    </span>
  )
}

/** The large tone-on-tone crop of the mark, behind entry cards only. */
export function LogoPlan() {
  return (
    <svg className={styles['plan']} viewBox="0 0 24 24" aria-hidden="true">
      <path d="M2 2h20v5H12v5H7v10H2z" />
      <path d="M22 10v12H10v-7h5v-5z" />
    </svg>
  )
}
