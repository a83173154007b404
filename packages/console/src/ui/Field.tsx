import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from './cx.ts'
import { Icon } from './Icon.tsx'
import styles from './Field.module.css'

export type FieldTexts = {
  label: string
  /** Hides the label from sight (search boxes whose icon says it); it is still read. */
  hideLabel?: boolean | undefined
  /** Right of the label: a link, or a note. */
  aside?: ReactNode
  help?: ReactNode
  error?: string | undefined
  required?: boolean | undefined
}

export type FieldProps = FieldTexts & { id: string; labelId?: string; className?: string | undefined; children: ReactNode }

/** The id that `aria-describedby` of the control must name, or undefined when there is nothing below it. */
export function describedBy(id: string, texts: Pick<FieldTexts, 'help' | 'error'>): string | undefined {
  return texts.error || texts.help ? `${id}-note` : undefined
}

/** Label above, control, then help or, in its place, the error. */
export function Field({ id, labelId, label, hideLabel, aside, help, error, required, className, children }: FieldProps) {
  return (
    <div className={cx(styles['field'], className)}>
      {hideLabel ? (
        <label id={labelId} htmlFor={id} className="sr">
          {label}
        </label>
      ) : (
        <div className={styles['top']}>
          <label id={labelId} htmlFor={id}>
            {label}
          </label>
          {aside ?? (required ? <span className={styles['aside']}>required</span> : null)}
        </div>
      )}
      {children}
      {error ? (
        <span id={`${id}-note`} className={styles['error']}>
          <Icon of={CircleAlert} size={14} />
          {error}
        </span>
      ) : help ? (
        <span id={`${id}-note`} className={styles['help']}>
          {help}
        </span>
      ) : null}
    </div>
  )
}

/** The classes of the box around an input. */
export function boxClass(look: {
  size?: 32 | 40 | undefined
  error?: boolean | undefined
  disabled?: boolean | undefined
  multi?: boolean
}): string {
  return cx(
    styles['box'],
    look.size === 40 && styles['large'],
    look.error && styles['bad'],
    look.disabled && styles['off'],
    look.multi && styles['multi'],
  )
}
