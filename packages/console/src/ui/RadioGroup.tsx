import { useId, type ReactNode } from 'react'
import styles from './Choice.module.css'

export type RadioOption<T extends string> = { value: T; label: ReactNode; help?: string; disabled?: boolean }

/** One of several, all in sight; native radios, so arrows and forms work. */
export function RadioGroup<T extends string>({
  label,
  options,
  value,
  onValue,
}: {
  label: string
  options: readonly RadioOption<T>[]
  value: T | undefined
  onValue: (value: T) => void
}) {
  const name = useId()
  return (
    <fieldset className={styles['group']}>
      <legend>{label}</legend>
      {options.map((option) => (
        <label key={option.value} className={styles['choice']}>
          <input
            type="radio"
            name={name}
            className={styles['dot']}
            checked={option.value === value}
            disabled={option.disabled}
            onChange={() => onValue(option.value)}
          />
          <span>
            {option.label}
            {option.help && <small className={styles['help']}>{option.help}</small>}
          </span>
        </label>
      ))}
    </fieldset>
  )
}
