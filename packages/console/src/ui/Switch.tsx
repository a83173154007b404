import type { ComponentPropsWithRef, ReactNode } from 'react'
import styles from './Choice.module.css'

export type SwitchProps = Omit<ComponentPropsWithRef<'input'>, 'type' | 'role' | 'children'> & { label: ReactNode }

/** On or off, at once. For choices that wait for a button, use a checkbox. */
export function Switch({ label, className, ...input }: SwitchProps) {
  return (
    <label className={[styles['choice'], className].filter(Boolean).join(' ')}>
      {/* oxlint-disable-next-line jsx-a11y/role-has-required-aria-props -- a native checkbox says itself whether it is checked */}
      <input {...input} type="checkbox" role="switch" className={styles['switch']} />
      <span>{label}</span>
    </label>
  )
}
