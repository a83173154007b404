import { cx } from './cx.ts'
import styles from './Avatar.module.css'

const tones = ['brand', 'info', 'ok', 'warn'] as const

/** A person as a square initial; the same name always has the same tone. The name itself stands beside it or in the title. */
export function Avatar({ name, size = 24 }: { name: string; size?: 18 | 24 }) {
  const sum = [...name].reduce((total, letter) => total + (letter.codePointAt(0) ?? 0), 0)
  return (
    <span
      className={cx(styles['avatar'], styles[tones[sum % tones.length] ?? 'brand'], size === 18 && styles['small'])}
      title={name}
      aria-hidden="true"
      data-initial={[...name][0]?.toUpperCase()}
    />
  )
}

/** Several people, each of them once, overlapping a little; read out as a list of names. */
export function Avatars({ names: all, size = 24 }: { names: readonly string[]; size?: 18 | 24 }) {
  const names = [...new Set(all)]
  return (
    <span className={styles['several']} role="img" aria-label={names.join(', ')}>
      {names.map((name) => (
        <Avatar key={name} name={name} size={size} />
      ))}
    </span>
  )
}
