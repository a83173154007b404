import { useEffect, useRef, type ComponentPropsWithRef, type ReactNode } from 'react'
import styles from './Choice.module.css'

export type CheckboxProps = Omit<ComponentPropsWithRef<'input'>, 'type' | 'ref' | 'children'> & { label: ReactNode; mixed?: boolean }

/** A native checkbox in our clothes; `mixed` is the state between. */
export function Checkbox({ label, mixed = false, className, ...input }: CheckboxProps) {
  const ref = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (ref.current) ref.current.indeterminate = mixed
  }, [mixed])
  return (
    <label className={[styles['choice'], className].filter(Boolean).join(' ')}>
      <input {...input} ref={ref} type="checkbox" className={styles['box']} />
      <span>{label}</span>
    </label>
  )
}
